import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmbeddedStore, type EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'

export type TemporaryStore = {
  readonly store: EmbeddedStore
  /** Closes it and opens it again, as another process would. */
  reopen(): Promise<EmbeddedStore>
  remove(): Promise<void>
}

/** An embedded store in a folder of its own. */
export async function temporaryStore(clock: () => number = Date.now): Promise<TemporaryStore> {
  const directory = mkdtempSync(join(tmpdir(), 'tidemark-store-'))
  const open = () => createEmbeddedStore({ directory, workers: 0, clock })
  const first = await open()
  let current = first
  return {
    store: first,
    async reopen() {
      await current.close()
      current = await open()
      return current
    },
    async remove() {
      await current.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
