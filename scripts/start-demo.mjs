import { spawn } from 'node:child_process'
import { root } from './install.mjs'

/** npm kills only the shell that it starts scripts with, and that passes no signal on: its end is seen by the change of the parent. */
const parentPollMs = 250
const parent = process.ppid

const demo = spawn(process.execPath, [`${root}dist/bin.cjs`, 'demo', ...process.argv.slice(2)], { stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => demo.kill(signal))
demo.on('exit', (code) => process.exit(code ?? 1))
if (process.env.npm_lifecycle_event !== undefined)
  setInterval(() => {
    if (process.ppid !== parent) demo.kill('SIGTERM')
  }, parentPollMs)
