import type { CheckType } from '../checks/define.ts'
import { expositionEnd, familyHeader, labelText, sample } from '../text/exposition.ts'
import { type Run, type RunGauge, runGauges } from './run-gauges.ts'

/** A check whose past results are exported; `checkType` is null if it is no longer configured. */
export type PastCheck = { readonly id: string; readonly checkType: CheckType | null }
/** Reads the results of a check, oldest first, in batches. */
type ReadRuns = (check: PastCheck) => AsyncIterable<readonly Run[]>

/**
 * Past results as OpenMetrics samples with timestamps. The format requires each family and each series in one block, so the results of a
 * check are read once per family, and the samples of one check and family are held in memory.
 */
export async function* history(checks: readonly PastCheck[], readRuns: ReadRuns): AsyncGenerator<string> {
  for (const gauge of runGauges) {
    yield familyHeader(gauge.family, 'openmetrics')
    for (const check of checks) {
      if (gauge.appliesTo(check.checkType)) yield* samplesOf(gauge, check, readRuns)
    }
  }
  yield expositionEnd.openmetrics
}

type Series = { readonly times: number[]; readonly values: number[] }

async function* samplesOf(gauge: RunGauge, check: PastCheck, readRuns: ReadRuns): AsyncGenerator<string> {
  const byLocation = new Map<string, Series>()
  for await (const runs of readRuns(check))
    for (const run of runs) {
      const value = gauge.read(run, check.checkType)
      if (value !== null) add(seriesAt(byLocation, run.runLocation), run.startedAt, value)
    }
  for (const [location, series] of byLocation) yield* lines(gauge, labelText({ check: check.id, location }), series)
}

function seriesAt(byLocation: Map<string, Series>, location: string): Series {
  const existing = byLocation.get(location)
  if (existing) return existing
  const added: Series = { times: [], values: [] }
  byLocation.set(location, added)
  return added
}

/** Prometheus accepts one sample per timestamp: of several runs in the same millisecond, the last is kept. */
function add({ times, values }: Series, time: number, value: number): void {
  const at = times.at(-1) === time ? times.length - 1 : times.length
  times[at] = time
  values[at] = value
}

const samplesPerChunk = 500

function* lines({ family }: RunGauge, labels: string, { times, values }: Series): Generator<string> {
  for (let first = 0; first < times.length; first += samplesPerChunk)
    yield times
      .slice(first, first + samplesPerChunk)
      .map((time, i) => sample(family, labels, values[first + i] as number, time))
      .join('')
}
