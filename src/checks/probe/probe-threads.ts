import { Piscina } from 'piscina'
import type { Probe, ProbeSurroundings } from './probe.ts'
import type { SentAbort, SentAttempt } from './probe-thread.ts'

export type ProbeThreads = { readonly probe: Probe; close(): Promise<void> }

const maxHeapMb = 512

/**
 * Runs checks outside of the main thread, so that nothing a target sends can hold up the server: light types in one thread, heavy types in
 * another. A thread starts with its first run. If it dies, its runs fail and another one starts.
 */
export function openProbeThreads(surroundings: ProbeSurroundings, module = threadModule): ProbeThreads {
  const light = openThread(surroundings, module)
  const heavy = openThread(surroundings, module)
  return {
    probe: (attempt) => (attempt.checkType.heavy ? heavy : light).probe(attempt),
    async close() {
      await Promise.all([light.close(), heavy.close()])
    },
  }
}

const threadModule = new URL(`./${'probe'}-thread.js`, import.meta.url)

function openThread({ configDir, chromium, env }: ProbeSurroundings, module: URL): ProbeThreads {
  let pool: Piscina | undefined
  let lastId = 0

  return {
    async probe({ checkType: { type }, signal, ...attempt }) {
      pool ??= startThread({ configDir, chromium, env: { ...env } }, module)
      const id = ++lastId
      const abort = () => void pool?.run({ id, ...reasonOf(signal) } satisfies SentAbort, { name: 'abort' }).catch(() => {})
      const measured = pool.run({ ...attempt, id, type } satisfies SentAttempt, { name: 'run' })
      if (signal.aborted) abort()
      signal.addEventListener('abort', abort)
      return measured.finally(() => signal.removeEventListener('abort', abort))
    },
    async close() {
      await pool?.destroy()
    },
  }
}

function startThread(workerData: ProbeSurroundings, module: URL): Piscina {
  const pool = new Piscina({
    filename: module.href,
    workerData,
    minThreads: 1,
    maxThreads: 1,
    concurrentTasksPerWorker: Number.POSITIVE_INFINITY,
    idleTimeout: Number.POSITIVE_INFINITY,
    // Waiting for tasks must not block the thread's sockets.
    atomics: 'disabled',
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
  })
  // Emitted where the thread dies between two runs; the pool replaces it.
  return pool.on('error', () => {})
}

function reasonOf({ reason }: AbortSignal): Pick<SentAbort, 'name' | 'message'> {
  return reason instanceof Error ? { name: reason.name, message: reason.message } : { name: 'AbortError', message: String(reason) }
}
