import { readdirSync, readFileSync } from 'node:fs'
import { configDefaults, defineConfig } from 'vitest/config'
import { skippedReporter } from './scripts/skipped-reporter.mjs'

const root = import.meta.dirname

/** Files that start processes or browsers, need the build, wait in real time or take seconds say so in their first line. */
const slow = ['src', 'test']
  .flatMap((folder) => readdirSync(`${root}/${folder}`, { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`))
  .filter((path) => path.endsWith('.test.ts') && readFileSync(`${root}/${path}`, 'utf8').startsWith('// @slow\n'))

/** Whether tests of the API keep their results in ClickHouse, which takes longer and competes with them for the machine. */
const inClickHouse = process.env.TIDEMARK_TEST_APP_STORE === 'clickhouse'
/** A current ClickHouse may be an emulated one. */
const inModern = inClickHouse && process.env.TIDEMARK_TEST_CLICKHOUSE_ENGINE === 'modern'
const timeoutMs = inModern ? 900_000 : inClickHouse ? 300_000 : null

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: timeoutMs ?? 30_000,
    hookTimeout: timeoutMs ?? 60_000,
    expect: { poll: { timeout: 10_000 } },
    setupFiles: ['test/support/setup.ts'],
    globalSetup: inClickHouse ? ['test/support/app-engine.ts'] : [],
    reporters: ['default', ...(process.env.GITHUB_ACTIONS ? ['github-actions'] : []), skippedReporter],
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          isolate: false,
          retry: inClickHouse ? 1 : 0,
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...slow],
          setupFiles: ['test/support/setup.ts', 'test/support/no-processes.ts'],
        },
      },
      { extends: true, test: { name: 'slow', include: slow, testTimeout: timeoutMs ?? 90_000, retry: 1 } },
    ],
  },
})
