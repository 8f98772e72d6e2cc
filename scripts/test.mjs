import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from './build.mjs'
import { install, root, runInstalled } from './install.mjs'
import { vitest } from './vitest.mjs'

const files = process.argv.slice(2)
/** Slow tests mostly wait for periods, processes and browsers, so this many files at a time keep two processors busy. */
const slowFilesAtOnce = 6
/** The transform cache; see vitest.config.ts. */
const transformed = `${root}node_modules/.cache/vitest`
const maxTransformed = 15_000

const programs =
  process.env.TIDEMARK_TEST_INSTALL === '1' ? spawn(process.execPath, [`${root}scripts/needs.mjs`], { stdio: 'inherit' }) : null
const installed = programs && once(programs, 'exit')

install({ all: true })
process.exit(files.length > 0 ? await testSome() : await testAll())

async function testSome() {
  build()
  check()
  return (await vitest(files)).status
}

/**
 * Fast tests need neither a build nor programs, so they run in parallel with everything else. While programs are being installed, type
 * checks and lint run before the slow tests, which need the programs; otherwise in parallel with them.
 */
async function testAll() {
  dropOldModules()
  const isThorough = process.env.TIDEMARK_TEST_THOROUGH === '1'
  console.log('Tests with ClickHouse are left out: npm run test:clickhouse runs them.')
  if (!isThorough) console.log('So are those of CI alone: npm test with the names of files or folders runs all of these.')
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-tests-'))
  const ending = join(folder, 'ending')
  const env = { TIDEMARK_TEST_ENDING: ending, ...(!isThorough && { TIDEMARK_TEST_WITHOUT_CI: '1' }) }
  const fast = vitest(['--project', 'fast'], { env, holdsOutput: true })
  build()
  if (installed) {
    check()
    await installed
  }
  const slow = vitest(['--project', 'slow', '--project', 'alone', `--maxWorkers=${slowFilesAtOnce}`], { env })
  if (!installed) check()
  const runs = [await slow, await fast]
  if (existsSync(ending)) console.log(readFileSync(ending, 'utf8').trimEnd())
  rmSync(folder, { recursive: true })
  return Math.max(...runs.map(({ status }) => status))
}

/** Vitest never evicts its transform cache: a run of all tests adds about 4,500 modules if all of them have changed. */
function dropOldModules() {
  if (existsSync(transformed) && readdirSync(transformed).length > maxTransformed) rmSync(transformed, { recursive: true })
}

/** A failing command ends this process and the tests with it. */
function check() {
  compile('tsconfig.json')
  compile('src/web')
  // Type-checking the benches requires the packages they compare with.
  if (existsSync(`${root}bench/node_modules`)) compile('bench')
  runInstalled('biome', ['check', '--error-on-warnings', '.'])
}

/** Multithreaded compilation takes twice the processor time in total, which the tests can use better. */
function compile(project) {
  runInstalled('tsc', ['--noEmit', '--singleThreaded', '-p', project])
}
