import { onTestFinished } from 'vitest'
import { createEmbeddedStore, type EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import type { Result, Store } from '../../src/store/store.ts'
import { temporaryFolder } from './temporary-folder.ts'

type TemporaryStore = {
  readonly store: EmbeddedStore
  /** Closes and reopens the store, like another process. */
  reopen(): Promise<EmbeddedStore>
}

/** An embedded store in a temporary folder, until the test ends. */
export async function temporaryStore(clock: () => number = Date.now): Promise<TemporaryStore> {
  const directory = temporaryFolder()
  const open = () => createEmbeddedStore({ directory, workers: 0, clock })
  let current = await open()
  onTestFinished(() => current.close())
  return {
    store: current,
    async reopen() {
      await current.close()
      current = await open()
      return current
    },
  }
}

/** All results of a check, oldest first. */
export async function resultsOf(store: Store, checkId: string, account = 'acme'): Promise<readonly Result[]> {
  const all: Result[] = []
  for await (const results of store.scan({ account, checkId }, { from: 0, to: Number.MAX_SAFE_INTEGER })) all.push(...results)
  return all
}
