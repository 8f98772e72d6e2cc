import { expiriesOf } from './expiries.ts'
import type { IntervalSink } from './interval.ts'
import { type LocationStates, locationStates, setLocationState } from './location-states.ts'
import { type Hold, holdsOf, isPinged, type Regime } from './regime.ts'
import { downCode, type Quorum, type State, stateOf, unknownCode } from './state.ts'

/** Results of one check in ascending order of start, then location, then id. */
export type Chunk = {
  readonly times: Float64Array
  /** Codes of locations, from 0; the same code is the same location in every chunk. */
  readonly locations: Int32Array
  /** 0 up, 1 degraded, 2 down. */
  readonly outcomes: Uint8Array
}

export type SweepOptions = {
  /** Ascending, at least one. */
  readonly regimes: readonly Regime[]
  readonly quorum: Quorum
  /** Nothing after it counts; the last interval ends here. */
  readonly now: number
  /** Called with the states from `-Infinity` to `now`, in maximal intervals. */
  readonly onInterval: IntervalSink
  /** Called while the check is down with each location that is, some of them repeatedly, before the interval itself is. */
  readonly onDown?: (location: number) => void
}

export type OpenInterval = { readonly from: number; readonly state: State }

export type Sweep = {
  push(chunk: Chunk): void
  /** The interval at `readTo`, once all results up to it have been pushed. */
  settle(readTo: number): OpenInterval
  end(): void
}

/** Turns the results of one check into its states over time. */
export function sweep({ regimes, quorum, now, onInterval, onDown }: SweepOptions): Sweep {
  const holds = holdsOf(regimes)
  const waitsForPings = isPinged(regimes.at(-1) as Regime)
  const locations = locationStates()
  const expiries = expiriesOf(locations)
  let turnedDown: number[] = []
  let hold = holds[0]
  let openFrom = Number.NEGATIVE_INFINITY
  let openState: State = 'unknown'
  let changedAt = Number.NEGATIVE_INFINITY

  function push(chunk: Chunk): void {
    const { length } = chunk.times
    for (let row = 0; row < length; row++) {
      row = extendHolds(chunk, row, locations, { before: Math.min(expiries.next, hold.to, now), holdMs: hold.ms })
      const time = chunk.times[row] as number
      if (row < length && time <= now) observe(chunk.locations[row] as number, chunk.outcomes[row] as number, time)
    }
  }

  function observe(location: number, outcome: number, time: number): void {
    if (time >= hold.to) enterRegime(time)
    expiries.expire(time, hold.ms, expireAt)
    if (locations.codes[location] !== outcome) {
      if (waitsForPings) supersede(time)
      change(location, outcome, time)
    }
    locations.until[location] = time + hold.ms
  }

  function enterRegime(time: number): void {
    hold = holds.findLast(({ from }) => from <= time) as Hold
    expiries.forget()
  }

  function expireAt(location: number, at: number): void {
    change(location, unknownCode, at)
  }

  /** Pings count as one location: a result ends the hold of the one before it, wherever that came from. */
  function supersede(time: number): void {
    const { known } = locations
    if (known.size > 0) change(known.members[0] as number, unknownCode, time)
  }

  function change(location: number, code: number, at: number): void {
    if (at > changedAt) publish()
    changedAt = at
    setLocationState(locations, location, code)
    if (code === downCode && onDown) turnedDown.push(location)
  }

  /** What happens at one instant counts as one change: it is published when time moves on. */
  function publish(): void {
    const state = stateOf(locations.tally, quorum)
    if (state !== openState) {
      onInterval(openFrom, changedAt, openState, false)
      openFrom = changedAt
      openState = state
      if (state === 'down' && onDown) locations.down.members.subarray(0, locations.down.size).forEach(onDown)
    } else if (state === 'down' && onDown) {
      for (const location of turnedDown) if (locations.codes[location] === downCode) onDown(location)
    }
    if (turnedDown.length > 0) turnedDown = []
  }

  function settle(readTo: number): OpenInterval {
    expiries.expire(Math.min(readTo, now), hold.ms, expireAt)
    publish()
    return { from: openFrom, state: openState }
  }

  function end(): void {
    settle(now)
    if (openFrom < now) onInterval(openFrom, now, openState, true)
  }

  return { push, settle, end }
}

/** Applies results that repeat the state of their location; the row of the first that does not, or that starts too late. */
function extendHolds(chunk: Chunk, first: number, { codes, until }: LocationStates, limits: { before: number; holdMs: number }): number {
  const { times, locations, outcomes } = chunk
  const { before, holdMs } = limits
  let row = first
  for (; row < times.length; row++) {
    const time = times[row] as number
    const location = locations[row] as number
    if (time >= before || codes[location] !== outcomes[row]) break
    until[location] = time + holdMs
  }
  return row
}
