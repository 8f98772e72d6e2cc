import { type Change, changeFinder, type ResultRows } from './changes.ts'
import type { IntervalSink } from './interval.ts'
import { setLocationState, trackLocations } from './location-states.ts'
import type { Regime } from './regime.ts'
import { downCode, type Quorum, type TimelineState, timelineState } from './state.ts'

export type SweepOptions = {
  /** Ascending, at least one. */
  readonly regimes: readonly Regime[]
  readonly quorum: Quorum
  /** Later results do not count; the last interval ends here. */
  readonly now: number
  /** Called with the states from `-Infinity` to `now`, in maximal intervals. */
  readonly onInterval: IntervalSink
  /** Called for each location that is down while the check is down, possibly repeatedly, before `onInterval` for that interval. */
  readonly onDown?: (location: number) => void
}

export type OpenInterval = { readonly from: number; readonly state: TimelineState }

export type Sweep = {
  push(chunk: ResultRows): void
  /** The interval at `readTo`, once all results up to it have been pushed. */
  settle(readTo: number): OpenInterval
  end(): void
}

/** Turns the results of one check into its states over time. */
export function sweep({ regimes, quorum, now, onInterval, onDown }: SweepOptions): Sweep {
  const changes = changeFinder(regimes, now)
  const locations = trackLocations()
  let turnedDown: number[] = []
  let openFrom = Number.NEGATIVE_INFINITY
  let openState: TimelineState = 'unknown'
  let changedAt = Number.NEGATIVE_INFINITY

  function apply({ at, location, code }: Change): void {
    if (at > changedAt) publish()
    changedAt = at
    setLocationState(locations, location, code)
    if (code === downCode && onDown) turnedDown.push(location)
  }

  /** Changes at one instant count as one: it is published when time moves on. */
  function publish(): void {
    const state = timelineState(locations.tally, quorum)
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
    changes.expire(Math.min(readTo, now)).forEach(apply)
    publish()
    return { from: openFrom, state: openState }
  }

  function end(): void {
    settle(now)
    if (openFrom < now) onInterval(openFrom, now, openState, true)
  }

  return { push: (chunk) => changes.push(chunk).forEach(apply), settle, end }
}
