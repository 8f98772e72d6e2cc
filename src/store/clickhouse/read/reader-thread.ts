import { parentPort } from 'node:worker_threads'
import { answerCalls, threadData } from '../../../threads/answer-calls.ts'
import type { Reader } from '../../query/question-reader.ts'
import { asyncReplyOf } from '../../threads/pool-thread.ts'
import { openServerReader, type ReaderData } from './open-reader.ts'

/** Messages of a reader thread other than replies. */
export type ReaderMessage = { readonly problem: string } | { readonly statement: string }

const post = (message: ReaderMessage) => parentPort?.postMessage(message)

let isCancelled = () => false

const reader = await openServerReader(threadData<ReaderData>(), {
  log: (problem) => post({ problem: String(problem) }),
  onStatement: (statement) => post({ statement }),
  clock: Date.now,
  checkpoint() {
    if (isCancelled()) throw new Error('The query was cancelled.')
  },
})

answerCalls(({ name, args: [query], signal, ...call }) => {
  isCancelled = call.isCancelled
  const ask = reader[name as keyof Reader] as (query: unknown, options: { readonly signal: AbortSignal }) => unknown
  return asyncReplyOf(() => ask(query, { signal }))
})
