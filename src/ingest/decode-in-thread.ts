import { Piscina } from 'piscina'
import { StoreUnavailable } from '../store/store.ts'
import type { EvidenceDecoder } from './decode-evidence.ts'

type Log = { warn(fields: object, message: string): void }
export type EvidenceThread = { readonly decode: EvidenceDecoder; close(): Promise<void> }

/** The evidence of one body decompresses to 8 MiB at most, which takes well below a second. */
const timeLimitMs = 10_000
/** Bodies that may wait; beyond that, agents are asked to send again later. */
const maxWaiting = 32

/** Decodes evidence in a thread of its own, which starts with the first. Where that fails, results are stored without it. */
export function openEvidenceThread(log: Log): EvidenceThread {
  let thread: Piscina | null = null
  return {
    async decode(jobs) {
      thread ??= startThread()
      if (thread.queueSize >= maxWaiting) throw new StoreUnavailable('Too much evidence waits to be decoded.', 5)
      try {
        // Piscina ends the thread of a task whose signal aborts, and starts another.
        return await thread.run(jobs, { name: 'decode', signal: AbortSignal.timeout(timeLimitMs) })
      } catch (err) {
        log.warn({ err, results: jobs.length }, 'Evidence could not be decoded. Its results are stored without it.')
        return jobs.map(() => null)
      }
    },
    async close() {
      await thread?.destroy()
    },
  }
}

function startThread(): Piscina {
  const pool = new Piscina({
    filename: new URL(`./${'evidence'}-thread.js`, import.meta.url).href,
    minThreads: 1,
    maxThreads: 1,
    idleTimeout: Number.POSITIVE_INFINITY,
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  })
  // Emitted where the thread dies between two calls; the pool replaces it.
  return pool.on('error', () => {})
}
