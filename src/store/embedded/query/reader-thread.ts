import { workerData } from 'piscina'
import { openReader } from './reader.ts'

const reader = openReader(workerData.directory, workerData.cacheBytes)

export const aggregate = ([query]: Parameters<typeof reader.aggregate>) => reader.aggregate(query)
export const raw = ([query]: Parameters<typeof reader.raw>) => reader.raw(query)
export const results = ([query]: Parameters<typeof reader.results>) => reader.results(query)
export const states = ([query]: Parameters<typeof reader.states>) => reader.states(query)
export const outages = ([query]: Parameters<typeof reader.outages>) => reader.outages(query)
export const scan = ([query]: Parameters<typeof reader.scan>) => reader.scan(query)
