import { spawn } from 'node:child_process'
import { root } from './install.mjs'

/**
 * npm kills only the shell that runs scripts, and the shell forwards no signals. So a change of the parent process means that the shell has
 * ended.
 */
const parentPollMs = 250
const parent = process.ppid

const demo = spawn(process.execPath, [`${root}dist/bin.cjs`, 'demo', ...process.argv.slice(2)], { stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => demo.kill(signal))
demo.on('exit', (code) => process.exit(code ?? 1))
if (process.env.npm_lifecycle_event !== undefined)
  setInterval(() => {
    if (process.ppid !== parent) demo.kill('SIGTERM')
  }, parentPollMs)
