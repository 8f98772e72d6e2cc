import fc from 'fast-check'
import { afterAll } from 'vitest'
import { cleanUpAfterFile } from './at-end.ts'
import { recordCosts } from './costs.ts'
import { removeTemporaryFolders } from './temporary-folder.ts'

/**
 * Properties use the same examples in every run, so that a failing run is caused by its change. `test:explore` uses random examples. Lists
 * and texts are as long as a property allows: by default, they would have at most about ten items.
 */
const { TIDEMARK_TEST_SEED = '2026' } = process.env
fc.configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true, ...(TIDEMARK_TEST_SEED !== 'random' && { seed: Number(TIDEMARK_TEST_SEED) }) })

recordCosts()

afterAll(async () => {
  await cleanUpAfterFile()
  removeTemporaryFolders()
})
