import { createHash } from 'node:crypto'
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { root, runInstalled } from './install.mjs'

const stamp = `${root}dist/.built`

/** Builds the server and the page into dist/. */
export function build() {
  const sources = fingerprint()
  rmSync(`${root}dist`, { recursive: true, force: true })
  console.error('Building …')
  runInstalled('rolldown', ['-c', 'scripts/rolldown.config.mjs'], { quiet: true })
  runInstalled('vite', ['build', 'src/web', '--logLevel=warn'])
  chmodSync(`${root}dist/bin.cjs`, 0o755)
  writeFileSync(stamp, sources)
}

/** Builds unless dist/ is up to date with the sources. */
export function buildIfChanged() {
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== fingerprint()) build()
}

function fingerprint() {
  const hash = createHash('sha256')
  for (const path of ['scripts/build.mjs', 'scripts/rolldown.config.mjs', 'package-lock.json', ...sourceFiles()]) {
    hash.update(`${path}\0`).update(readFileSync(`${root}${path}`))
  }
  return hash.digest('hex')
}

function sourceFiles() {
  return readdirSync(`${root}src`, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(root.length))
    .filter((path) => !/\/(node_modules|dist)\//.test(path))
    .sort()
}

if (process.argv[1] === new URL(import.meta.url).pathname) build()
