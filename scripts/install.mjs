import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))
const stamp = `${root}node_modules/.tidemark-installed`

/** Runs a command in the clone. A failure ends this process with the same status. */
export function run(command, args, { quiet = false } = {}) {
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: quiet ? ['ignore', 'ignore', 'inherit'] : 'inherit',
    shell: process.platform === 'win32',
  })
  if (status !== 0) process.exit(status ?? 1)
}

/** Runs a program of an installed package, without the time that npx takes to start. */
export function runInstalled(program, args, options) {
  run(join('node_modules', '.bin', program), args, options)
}

/** Installs the packages of the lockfile unless they are installed already. `all` includes development dependencies. */
export function install({ all }) {
  const lock = createHash('sha256')
    .update(readFileSync(`${root}package-lock.json`))
    .digest('hex')
  const installed = existsSync(stamp) ? readFileSync(stamp, 'utf8') : ''
  const kind = kindToInstall({ all, lock, installed, hasTests: existsSync(`${root}node_modules/vitest`) })
  if (kind === null) return
  console.error('Installing dependencies …')
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error', ...(kind === 'all' ? [] : ['--omit=dev'])], { quiet: true })
  writeFileSync(stamp, `${lock} ${kind}`)
}

/** Null if everything is installed. Development dependencies are never removed. */
export function kindToInstall({ all, lock, installed, hasTests }) {
  const kind = all || hasTests ? 'all' : 'production'
  return installed === `${lock} all` || installed === `${lock} ${kind}` ? null : kind
}
