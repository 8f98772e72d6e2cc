import { spawn } from 'node:child_process'
import { buildIfChanged } from './build.mjs'
import { install, root } from './install.mjs'

install({ all: false })
buildIfChanged()
const demo = spawn(process.execPath, [`${root}dist/bin.cjs`, 'demo', ...process.argv.slice(2)], { stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => demo.kill(signal))
demo.on('exit', (code) => process.exit(code ?? 1))
