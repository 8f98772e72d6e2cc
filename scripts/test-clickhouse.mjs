import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareModern } from '../test/clickhouse/engines/modern-install.mjs'
import { isEmulated } from '../test/clickhouse/engines/modern-plan.mjs'
import { buildIfChanged } from './build.mjs'
import { verdictOf } from './clickhouse-verdict.mjs'
import { install } from './install.mjs'
import { isProgram, zooKeeper } from './needs.mjs'
import { vitest } from './vitest.mjs'

/**
 * Runs the tests of the API and of the ClickHouse store on the engines that this machine supports: a given server, or a current ClickHouse
 * as a library in parallel with Debian's server and clusters, since none of them keeps two processors busy. Reports at the end which
 * engines were tested.
 */
const {
  TIDEMARK_TEST_CLICKHOUSE_URL: given,
  TIDEMARK_TEST_CLICKHOUSE_MINUTES: minutes = '15',
  TIDEMARK_TEST_REQUIRE: required,
} = process.env
/**
 * Failures on an emulated current ClickHouse are reported but do not fail the job: emulation is too slow for its time limits. Without
 * emulation, and if everything is required, the tests must finish and pass.
 */
const isTrial = isEmulated
const mustFinish = Boolean(required) && !isEmulated
const endsAt = Date.now() + Number(minutes) * 60_000
const storeTests = ['test/clickhouse/server.test.ts', 'test/clickhouse/one-shard.test.ts', 'src/store/clickhouse']
/** With TIDEMARK_TEST_APP_STORE, these tests keep results in ClickHouse. */
const apiTests = ['test/contract', 'src/runner/deadlines.test.ts']
/** These tests wait for the server about half of the time. */
const apiFilesAtOnce = 4
const clusterTests = [
  'test/clickhouse/cluster.test.ts',
  'test/clickhouse/alert-lease-cluster.test.ts',
  'src/store/clickhouse/cluster-store.test.ts',
  'test/faults/clickhouse-cluster.test.ts',
]
const said = []
let hasFailed = false

install({ all: true })
buildIfChanged()
if (given) {
  const engine = { name: 'the server of TIDEMARK_TEST_CLICKHOUSE_URL', env: {} }
  await contract(engine)
  await tests(engine, storeTests)
} else {
  // Starts before the current ClickHouse is installed, which takes half a minute. Unless it is emulated, the store tests have to pass only
  // there, so Debian's server runs just the tests below test/.
  const debianStore = testStore(debian(), isEmulated ? [] : ['test/'])
  const modern = currentClickHouse(prepareModern())
  const ofModern = async () => {
    if (modern === null) return
    await tests(modern, storeTests)
    await contract(modern)
  }
  const ofDebian = async () => {
    await debianStore
    if (modern === null && !isEmulated) await testStore(debian(), ['src/store/clickhouse'])
    if (modern === null || isEmulated) await contract(debian())
    await testCluster(debian())
  }
  await Promise.all([ofModern(), ofDebian()])
}
console.log(`\n${said.join('\n')}`)
process.exit(hasFailed ? 1 : 0)

function debian() {
  return isProgram('clickhouse-server') ? { name: "Debian's clickhouse-server", env: {}, isBackground: true } : null
}

/** Tests of one server, and of several Tidemark processes that share it; all of them, or those below a folder. */
async function testStore(server, folders) {
  if (server === null) return void said.push("Debian's clickhouse-server is not installed.")
  await tests(server, ['--project', 'clickhouse', '--maxWorkers=4', ...folders])
}

/** One round of faults; `npm run test:faults` runs more. */
async function testCluster(server) {
  if (server === null || !isProgram(zooKeeper))
    return void said.push('No cluster was exercised: that takes clickhouse-server and zookeeper.')
  await tests({ name: "a cluster of Debian's clickhouse-server", env: { TIDEMARK_FAULT_ROUNDS: '1' }, isBackground: true }, clusterTests)
}

function currentClickHouse({ missing, name }) {
  if (!missing) return { name, env: { TIDEMARK_TEST_CLICKHOUSE_ENGINE: 'modern' }, isTrial, mustFinish }
  hasFailed ||= mustFinish
  said.push(`No current ClickHouse was exercised, since ${missing}.${mustFinish ? ' Here it is required, so this run has failed.' : ''}`)
  return null
}

/** Runs the tests of the API and of missed pings with results in ClickHouse, then checks the SQL statements that they sent. */
async function contract(engine) {
  if (engine === null) return
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-statements-'))
  const env = { ...engine.env, TIDEMARK_TEST_STATEMENTS: join(folder, 'statements') }
  const whole = await tests({ ...engine, env: { ...env, TIDEMARK_TEST_APP_STORE: 'clickhouse' } }, [
    `--maxWorkers=${apiFilesAtOnce}`,
    ...apiTests,
  ])
  if (whole) await tests({ ...engine, env }, ['test/clickhouse/collected-statements.test.ts'])
  rmSync(folder, { recursive: true })
}

/** Returns whether all tests have run and passed. */
async function tests({ name, env, isBackground, ...engine }, files) {
  const { passed, fails, words } = verdictOf(await vitest(files, { env, stopAt: endsAt, isBackground }), engine)
  hasFailed ||= fails
  said.push(`${words} on ${name}: ${files.join(', ')}.`)
  return passed
}
