import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './install.mjs'

/** Yields to other processes without starving. */
const backgroundPriority = 5

/**
 * Runs tests until they end, `stopAt` is reached or this process exits. Returns the exit status and the failed tests, including those that
 * failed before a stop. Workers outlive a stopped runner, so the whole process group is killed. `holdsOutput` prints the output at the end; a
 * run in the background has a lower priority, too.
 */
export async function vitest(args, { env = {}, stopAt = Number.POSITIVE_INFINITY, isBackground = false, holdsOutput = isBackground } = {}) {
  const output = holdsOutput ? heldOutput() : null
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-failed-'))
  const failures = join(folder, 'tests')
  const child = spawn(process.execPath, [`${root}node_modules/vitest/vitest.mjs`, 'run', ...args], {
    cwd: root,
    stdio: ['ignore', output?.fd ?? 'inherit', output?.fd ?? 'inherit'],
    env: { ...process.env, ...env, TIDEMARK_TEST_FAILED: failures },
    detached: true,
  })
  if (isBackground) lowerPriority(child.pid)
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
  output?.print()
  const failed = existsSync(failures) ? readFileSync(failures, 'utf8').trimEnd().split('\n') : []
  rmSync(folder, { recursive: true })
  return { status: status ?? 1, isStopped, failed }
}

/** Linux may share processors between sessions first (autogroups), and the priority of a process counts only within its session. */
function lowerPriority(pid) {
  setPriority(pid, backgroundPriority)
  const autogroup = `/proc/${pid}/autogroup`
  if (existsSync(autogroup)) writeFileSync(autogroup, String(backgroundPriority))
}

/** Buffers output in a file, since a pipe would fill up while this process waits for another one. */
function heldOutput() {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-tests-'))
  const path = join(folder, 'output')
  const fd = openSync(path, 'w')
  return {
    fd,
    print() {
      closeSync(fd)
      process.stdout.write(readFileSync(path))
      rmSync(folder, { recursive: true })
    },
  }
}
