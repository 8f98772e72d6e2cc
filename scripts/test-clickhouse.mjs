import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareModern } from '../test/clickhouse/engines/modern-install.mjs'
import { buildIfChanged } from './build.mjs'
import { install, root } from './install.mjs'
import { isProgram } from './needs.mjs'

/**
 * Runs the tests of the API and of the ClickHouse store on what the machine allows: a server of yours, a current ClickHouse as a library,
 * Debian's. Says at its end which of them were exercised.
 */
const { TIDEMARK_TEST_CLICKHOUSE_URL: given, TIDEMARK_TEST_CLICKHOUSE_MINUTES: minutes = '15' } = process.env
const endsAt = Date.now() + Number(minutes) * 60_000
const storeTests = ['test/clickhouse/server.test.ts', 'test/clickhouse/one-shard.test.ts', 'src/store/clickhouse']
const said = []
let hasFailed = false

install({ all: true })
buildIfChanged()
const modern = given ? null : prepareModern()
if (modern?.missing) said.push(`No current ClickHouse was exercised, since ${modern.missing}.`)

if (given) runAll({ name: 'the server of TIDEMARK_TEST_CLICKHOUSE_URL', env: {} })
else if (modern.missing || modern.isEmulated) contract(debian())
if (modern && !modern.missing) {
  const engine = { name: modern.name, env: { TIDEMARK_TEST_CLICKHOUSE_ENGINE: 'modern' } }
  if (modern.isEmulated) tests(engine, storeTests)
  else runAll(engine)
}
console.log(`\n${said.join('\n')}`)
process.exit(hasFailed ? 1 : 0)

function debian() {
  return isProgram('clickhouse-server') ? { name: "Debian's clickhouse-server", env: {} } : null
}

function runAll(engine) {
  contract(engine)
  tests(engine, storeTests)
}

/** The tests of the API with results in ClickHouse, then those of the statements that they sent. */
function contract(engine) {
  if (engine === null) return void said.push("Debian's clickhouse-server is not installed.")
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-statements-'))
  const env = { ...engine.env, TIDEMARK_TEST_STATEMENTS: join(folder, 'statements') }
  const whole = tests({ ...engine, env: { ...env, TIDEMARK_TEST_APP_STORE: 'clickhouse' } }, ['test/contract'])
  if (whole) tests({ ...engine, env }, ['test/clickhouse/collected-statements.test.ts'])
  rmSync(folder, { recursive: true })
}

/** Whether all of them have run and passed; running out of time is no failure. */
function tests({ name, env }, files) {
  const { status, error } = spawnSync(process.execPath, [`${root}node_modules/vitest/vitest.mjs`, 'run', ...files], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
    timeout: Math.max(1, endsAt - Date.now()),
  })
  const isStopped = error?.code === 'ETIMEDOUT'
  const passed = status === 0
  hasFailed ||= !passed && !isStopped
  const verdict = passed ? 'Passed' : isStopped ? `Stopped after ${minutes} minutes` : 'Failed'
  said.push(`${verdict} on ${name}: ${files.join(', ')}.`)
  return passed
}
