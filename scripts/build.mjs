import { existsSync, rmSync } from 'node:fs'
import { root, run } from './install.mjs'

/** Builds the server and the page into dist/. */
export function build() {
  rmSync(`${root}dist`, { recursive: true, force: true })
  run('npx', ['--no-install', 'tsc', '-p', 'tsconfig.build.json'])
  if (existsSync(`${root}src/web/index.html`)) run('npx', ['--no-install', 'vite', 'build', 'src/web', '--logLevel=warn'])
}

if (process.argv[1] === new URL(import.meta.url).pathname) build()
