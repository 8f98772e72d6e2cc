import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { root } from './install.mjs'

/**
 * Runs tests until they are over, `stopAt` has come, or this process ends; returns its status. Workers outlive a runner that is stopped, so that
 * all of its process group is ended.
 */
export async function vitest(args, { env = {}, stopAt = Number.POSITIVE_INFINITY } = {}) {
  const child = spawn(process.execPath, [`${root}node_modules/vitest/vitest.mjs`, 'run', ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
    detached: true,
  })
  const end = () => process.kill(-child.pid, 'SIGKILL')
  const interrupt = () => process.exit(1)
  process.once('exit', end)
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, interrupt)
  let isStopped = false
  const stop = () => {
    isStopped = true
    end()
  }
  const timer = Number.isFinite(stopAt) ? setTimeout(stop, Math.max(0, stopAt - Date.now())) : undefined
  const [status] = await once(child, 'exit')
  clearTimeout(timer)
  process.off('exit', end)
  for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, interrupt)
  return { status: status ?? 1, isStopped }
}
