import { createSerialQueue } from '../../concurrency/serial-queue.ts'
import { StoreUnavailable } from '../../store/store.ts'
import { openThread, ThreadLost, type ThreadOptions } from '../../threads/thread.ts'
import { packBundle } from './pack-bundle.ts'
import { splitDeployBody } from './split-body.ts'

/** Decompresses and parses uploads of deployments. */
export type UploadReader = {
  split(bytes: Uint8Array, isCompressed: boolean): Promise<ReturnType<typeof splitDeployBody>>
  pack(archive: Uint8Array, checksum: string | null): Promise<ReturnType<typeof packBundle>>
}

/** In this thread: for tests. */
export const inlineUploads: UploadReader = {
  split: async (bytes, isCompressed) => splitDeployBody(bytes, isCompressed),
  pack: async (archive, checksum) => packBundle(archive, checksum),
}

const timeLimitMs = 20_000
/** Queue limit; beyond it, clients are told to retry later. */
const maxWaiting = 8
/** Parsed JSON of many small values takes a multiple of its text. */
const maxHeapMb = 512

/** Reads uploads one after the other in a worker thread, which starts with the first. */
export function openUploadThread({ onLost = () => {} }: Pick<ThreadOptions, 'onLost'> = {}): UploadReader & { close(): Promise<void> } {
  const thread = openThread({
    kind: 'uploads',
    module: new URL(`./${'upload'}-thread.js`, import.meta.url),
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    describe: (name, [bytes]) => `${name} of ${(bytes as Uint8Array).length} bytes`,
    onLost,
  })
  const queue = createSerialQueue({ maxWaiting, onFull: () => new StoreUnavailable('Too many uploads are waiting to be read.', 5) })

  async function call<T>(name: string, args: readonly unknown[]): Promise<T | { readonly problem: string }> {
    try {
      return (await queue(() => thread.call(name, args, { timeLimitMs }))) as T
    } catch (error) {
      if (error instanceof ThreadLost) return { problem: 'it has too many values to be read' }
      throw error
    }
  }

  return {
    split: (bytes, isCompressed) => call('split', [bytes, isCompressed]),
    pack: (archive, checksum) => call('pack', [archive, checksum]),
    close: thread.destroy,
  }
}
