import { type Stopwatch, stopwatch } from '../net/stopwatch.ts'
import { httpPhases } from './http-metrics.ts'

export type HttpWatch = Stopwatch<(typeof httpPhases)[number]>

export const httpWatch = (): HttpWatch => stopwatch(httpPhases)
