import { workerData } from 'piscina'
import type { Reader } from '../../query/reader.ts'
import { answering } from '../../threads/pool-thread.ts'
import { openReader } from './reader.ts'

let current: Int32Array | null = null

/** Between the columns of two days, a question ends that nobody waits for any more. */
function checkpoint(): void {
  if (current && Atomics.load(current, 0) === 1) throw new Error('The question was cancelled.')
}

const reader = openReader(workerData.directory, workerData.cacheBytes, checkpoint)

export const answer = answering(({ name, args: [query], cancelled }) => {
  current = cancelled
  return (reader[name as keyof Reader] as (query: unknown) => unknown)(query)
})
