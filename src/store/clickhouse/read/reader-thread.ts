import { parentPort } from 'node:worker_threads'
import { workerData } from 'piscina'
import type { Reader } from '../../query/reader.ts'
import { answering, signalOf } from '../../threads/pool-thread.ts'
import { openReader, type ReaderData } from './open-reader.ts'

/** What a thread of readers posts beside its answers. */
export type ReaderMessage = { readonly problem: string } | { readonly statement: string }

const post = (message: ReaderMessage) => parentPort?.postMessage(message)

const reader = await openReader(workerData as ReaderData, {
  log: (problem) => post({ problem: String(problem) }),
  onStatement: (statement) => post({ statement }),
  clock: Date.now,
})

export const answer = answering(async ({ name, args: [query], cancelled }) => {
  const { signal, end } = signalOf(cancelled)
  const ask = reader[name as keyof Reader] as (query: unknown, options: { readonly signal: AbortSignal }) => unknown
  return Promise.resolve(ask(query, { signal })).finally(end)
})
