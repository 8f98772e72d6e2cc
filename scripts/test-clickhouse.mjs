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
 * Runs the tests of the API and of the ClickHouse store on what the machine allows: a server of yours, or else a current ClickHouse as a library and, beside it, Debian's
 * and then clusters of it, since none of them keeps two processors busy. Says at its end which of them were exercised.
 */
const {
  TIDEMARK_TEST_CLICKHOUSE_URL: given,
  TIDEMARK_TEST_CLICKHOUSE_MINUTES: minutes = '15',
  TIDEMARK_TEST_REQUIRE: required,
} = process.env
/**
 * What fails on a current ClickHouse that is emulated is told, and does not decide: there it is too slow for its limits. Where it is not, and everything is required, the
 * store has to pass on it.
 */
const isTrial = isEmulated
const mustFinish = Boolean(required) && !isEmulated
const endsAt = Date.now() + Number(minutes) * 60_000
const storeTests = ['test/clickhouse/server.test.ts', 'test/clickhouse/one-shard.test.ts', 'src/store/clickhouse']
/** Tests that keep results in ClickHouse where TIDEMARK_TEST_APP_STORE says so. */
const apiTests = ['test/contract', 'src/runner/deadlines.test.ts']
/** They wait for the server about half of the time. */
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
  // Begins before the current one is installed, which takes half a minute. What the tests of the store have to pass on that one they need not on both.
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

/** Tests of one server, and of several Tidemarks over it; all of them, or those below a folder. */
async function testStore(server, folders) {
  if (server === null) return void said.push("Debian's clickhouse-server is not installed.")
  await tests(server, ['--project', 'clickhouse', '--maxWorkers=4', ...folders])
}

/** One round of faults; `npm run test:faults` has more. */
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

/** The tests of the API and of missed pings with results in ClickHouse, then those of the statements that they sent. */
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

/** Whether all of them have run and passed. */
async function tests({ name, env, isBackground, ...engine }, files) {
  const { passed, fails, words } = verdictOf(await vitest(files, { env, stopAt: endsAt, isBackground }), engine)
  hasFailed ||= fails
  said.push(`${words} on ${name}: ${files.join(', ')}.`)
  return passed
}
