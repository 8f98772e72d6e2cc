import { createSerialQueue } from '../concurrency/serial-queue.ts'
import { StoreUnavailable } from '../store/store.ts'
import { openThread, type ThreadOptions } from '../threads/thread.ts'
import type { DecodedEvidence, EvidenceDecoder } from './decode-evidence.ts'

type Log = { warn(fields: object, message: string): void }
type EvidenceThread = { readonly decode: EvidenceDecoder; close(): Promise<void> }

/** The evidence of one body decompresses to 8 MiB at most, which takes well below a second. */
const timeLimitMs = 10_000
/** Maximum number of waiting bodies; beyond it, agents are asked to retry later. */
const maxWaiting = 32
const maxHeapMb = 128

/** Decodes evidence in a separate thread, which starts on first use. If decoding fails, results are stored without evidence. */
export function openEvidenceThread(log: Log, { onLost = () => {} }: Pick<ThreadOptions, 'onLost'> = {}): EvidenceThread {
  const thread = openThread({
    kind: 'decoder',
    module: new URL(`./${'evidence'}-thread.js`, import.meta.url),
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    describe: (_, [jobs]) => `evidence of ${(jobs as readonly unknown[]).length} results`,
    onLost,
  })
  const queue = createSerialQueue({ maxWaiting, onFull: () => new StoreUnavailable('Too much evidence is waiting to be decoded.', 5) })
  return {
    async decode(jobs) {
      try {
        return (await queue(() => thread.call('decode', [jobs], { timeLimitMs }))) as readonly DecodedEvidence[]
      } catch (err) {
        if (err instanceof StoreUnavailable) throw err
        log.warn({ err, results: jobs.length }, 'Could not decode evidence. Its results are stored without it.')
        return jobs.map(() => null)
      }
    },
    close: thread.destroy,
  }
}
