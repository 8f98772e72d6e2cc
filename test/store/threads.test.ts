// @slow
import { importBuilt } from '../support/built.ts'
import { describeFairness } from '../support/fairness-conformance.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

describeFairness('a data folder', async () => {
  const { createEmbeddedStore } =
    await importBuilt<typeof import('../../src/store/embedded/embedded-store.ts')>('store/embedded/embedded-store.ts')
  const store = await createEmbeddedStore({ directory: temporaryFolder(), workers: 2 })
  return { store, dispose: () => store.close() }
})
