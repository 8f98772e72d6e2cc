import { workerData } from 'piscina'
import type { PoolCall } from '../worker-pool.ts'
import { openReader, type Reader } from './reader.ts'

let current: Int32Array | null = null

/** Between the columns of two days, a question ends that nobody waits for any more. */
function checkpoint(): void {
  if (current && Atomics.load(current, 0) === 1) throw new Error('The question was cancelled.')
}

const reader = openReader(workerData.directory, workerData.cacheBytes, checkpoint)

type Questions = Omit<Reader, 'close'>

function answer<Name extends keyof Questions>(name: Name) {
  return ({ args: [query], cancelled }: PoolCall<Parameters<Questions[Name]>>) => {
    current = cancelled
    return (reader[name] as (query: unknown) => ReturnType<Questions[Name]>)(query)
  }
}

export const aggregate = answer('aggregate')
export const raw = answer('raw')
export const results = answer('results')
export const result = answer('result')
export const states = answer('states')
export const outages = answer('outages')
export const failures = answer('failures')
export const scan = answer('scan')
export const totals = answer('totals')
