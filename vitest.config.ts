import { readdirSync, readFileSync } from 'node:fs'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { endReporter } from './scripts/end-reporter.mjs'

const root = import.meta.dirname

/** What the first lines of test files say of them: see docs/testing.md. Those without are fast. */
const marks = marksOfFiles()
const slow = filesThatAre((words) => !words.includes('alone') && !words.includes('clickhouse'))
const waiting = filesThatAre((words) => words.includes('waiting'))
const alone = filesThatAre((words) => words.includes('alone'))
const clickHouse = filesThatAre((words) => words.includes('clickhouse'))

class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const others = await super.sort(files)
    const first = others.filter(({ moduleId }) => waiting.some((path) => moduleId === `${root}/${path}`))
    return [...new Set([...first, ...others])]
  }
}

function marksOfFiles(): ReadonlyMap<string, readonly string[]> {
  const paths = ['src', 'test'].flatMap((folder) =>
    readdirSync(`${root}/${folder}`, { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
  )
  return new Map(
    paths
      .filter((path) => path.endsWith('.test.ts'))
      .flatMap((path) => {
        const [, words] = /^\/\/ @slow\b(.*)/.exec(readFileSync(`${root}/${path}`, 'utf8')) ?? []
        return words === undefined ? [] : [[path, words.split(' ')] as const]
      }),
  )
}

/** Without those of CI alone where `npm test` says so. */
function filesThatAre(wanted: (words: readonly string[]) => boolean): string[] {
  const isLeftOut = (words: readonly string[]) => process.env.TIDEMARK_TEST_WITHOUT_CI !== undefined && words.includes('ci')
  return [...marks].filter(([, words]) => wanted(words) && !isLeftOut(words)).map(([path]) => path)
}

/** Whether tests of the API keep their results in ClickHouse, which takes longer and competes with them for the machine. */
const inClickHouse = process.env.TIDEMARK_TEST_APP_STORE === 'clickhouse'
/** A current ClickHouse may be an emulated one. */
const inModern = inClickHouse && process.env.TIDEMARK_TEST_CLICKHOUSE_ENGINE === 'modern'
const timeoutMs = inModern ? 900_000 : inClickHouse ? 300_000 : null

const common = {
  pool: 'forks' as const,
  testTimeout: timeoutMs ?? 180_000,
  hookTimeout: timeoutMs ?? 60_000,
  expect: { poll: { timeout: 30_000, interval: 100 } },
  setupFiles: ['test/support/setup.ts'],
  globalSetup: inClickHouse ? ['test/support/app-engine.ts'] : [],
  // Transformed modules, by their content: for all projects, for runs beside this one and for later ones.
  experimental: { fsModuleCache: true, fsModuleCachePath: `${root}/node_modules/.cache/vitest` },
}
const slowTests = {
  ...common,
  retry: 1,
  sequence: { groupOrder: 1 },
  ...(process.env.TIDEMARK_TEST_TWICE && { runner: 'test/support/repeating-runner.ts' }),
}

export default defineConfig({
  test: {
    ...common,
    // More than two processors need, since some tests wait. Not of the projects, which would not heed --maxWorkers.
    maxWorkers: 3,
    sequence: { sequencer: WaitingFirst },
    reporters: ['default', ...(process.env.GITHUB_ACTIONS ? ['github-actions'] : []), endReporter],
    projects: [
      {
        test: {
          ...common,
          name: 'fast',
          isolate: false,
          retry: inClickHouse ? 1 : 0,
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...marks.keys()],
          setupFiles: [...common.setupFiles, 'test/support/no-processes.ts'],
        },
      },
      { test: { ...slowTests, name: 'slow', isolate: false, include: slow } },
      { test: { ...slowTests, name: 'alone', include: alone } },
      { test: { ...slowTests, name: 'clickhouse', isolate: false, include: clickHouse } },
    ],
  },
})
