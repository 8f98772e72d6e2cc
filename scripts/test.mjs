import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { build } from './build.mjs'
import { install, root, run } from './install.mjs'

const files = process.argv.slice(2)

install({ all: true })
if (files.length > 0) {
  check()
  process.exit(await vitest(...files))
}
console.log("Tests on a current ClickHouse are left out: npm run test:clickhouse runs them. Debian's is used where it is installed.")
const fast = vitest('--project', 'fast')
check()
const statuses = [await fast, await vitest('--project', 'slow', '--project', 'alone')]
process.exit(statuses.find((status) => status !== 0) ?? 0)

/** What slow tests need first, and what fails without any test. Fast tests go on in their process meanwhile. */
function check() {
  build()
  run('npx', ['--no-install', 'tsc', '-p', 'tsconfig.json'])
  run('npx', ['--no-install', 'tsc', '-p', 'src/web'])
  run('npx', ['--no-install', 'biome', 'check', '--error-on-warnings', '.'])
}

/** Its status. It ends with this process, which a failed check ends at once. */
async function vitest(...args) {
  const child = spawn(process.execPath, [`${root}node_modules/vitest/vitest.mjs`, 'run', ...args], { cwd: root, stdio: 'inherit' })
  const end = () => child.kill()
  process.once('exit', end)
  const [status] = await once(child, 'exit')
  process.off('exit', end)
  return status ?? 1
}
