import fc from 'fast-check'
import { afterAll } from 'vitest'
import { isEmulated } from '../clickhouse/engines/modern-plan.mjs'
import { removeTemporaryFolders } from './temporary-folder.ts'

/** Properties are checked on the same examples in every run, so that a red run is the fault of its change; `test:explore` draws others. */
const { TIDEMARK_TEST_SEED = '2026' } = process.env
if (TIDEMARK_TEST_SEED !== 'random') fc.configureGlobal({ seed: Number(TIDEMARK_TEST_SEED) })

/** Emulated, a question to ClickHouse takes seconds, so that a property is checked on as many examples as there is time for. */
if (isEmulated && process.env.TIDEMARK_TEST_CLICKHOUSE_ENGINE === 'modern')
  fc.configureGlobal({ ...fc.readConfigureGlobal(), interruptAfterTimeLimit: 30_000 })

afterAll(removeTemporaryFolders)
