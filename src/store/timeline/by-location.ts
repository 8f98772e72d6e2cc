import type { ResultRows } from './changes.ts'
import type { Feedable } from './feed.ts'
import type { IntervalSink } from './interval.ts'
import { type Sweep, type SweepOptions, sweep } from './sweep.ts'

type LocationSweepOptions = Pick<SweepOptions, 'regimes' | 'now'> & {
  /** Called once per location, at its first result. */
  readonly sinkOf: (location: number) => IntervalSink
}

/** Turns the results of one check into the states of each of its locations over time. */
export function sweepByLocation({ regimes, now, sinkOf }: LocationSweepOptions): Feedable {
  const sweeps = new Map<number, Sweep>()
  function sweepOf(location: number): Sweep {
    const known = sweeps.get(location) ?? sweep({ regimes, quorum: 1, now, onInterval: sinkOf(location) })
    sweeps.set(location, known)
    return known
  }
  return {
    push(chunk) {
      for (const { location, rows } of splitByLocation(chunk)) sweepOf(location).push(rows)
    },
    settle: (readTo) => Array.from(sweeps.values(), (each) => each.settle(readTo)),
    end() {
      for (const each of sweeps.values()) each.end()
    },
  }
}

/** The rows of each location, in order; their location code is 0. */
function splitByLocation({ times, locations, outcomes }: ResultRows): readonly { readonly location: number; readonly rows: ResultRows }[] {
  const ends = rowCounts(locations)
  for (let location = 1; location < ends.length; location++) ends[location] = (ends[location] as number) + (ends[location - 1] as number)
  const starts = Int32Array.from(ends, (_, location) => ends[location - 1] ?? 0)
  const sorted: ResultRows = {
    times: new Float64Array(times.length),
    locations: new Int32Array(times.length),
    outcomes: new Uint8Array(times.length),
  }
  const cursors = starts.slice()
  for (let row = 0; row < times.length; row++) {
    const location = locations[row] as number
    const target = cursors[location] as number
    cursors[location] = target + 1
    sorted.times[target] = times[row] as number
    sorted.outcomes[target] = outcomes[row] as number
  }
  return Array.from(starts, (start, location) => ({ location, rows: slice(sorted, start, ends[location] as number) })).filter(
    ({ rows }) => rows.times.length > 0,
  )
}

function rowCounts(locations: Int32Array): Int32Array {
  const counts = new Int32Array(locations.reduce((most, location) => Math.max(most, location), -1) + 1)
  for (const location of locations) counts[location] = (counts[location] as number) + 1
  return counts
}

function slice({ times, locations, outcomes }: ResultRows, from: number, to: number): ResultRows {
  return { times: times.subarray(from, to), locations: locations.subarray(from, to), outcomes: outcomes.subarray(from, to) }
}
