import { firstNotBefore } from '../kernels/row-indexes.ts'
import { type Hold, holdsOf, isPinged, type Regime } from './regime.ts'
import { unknownCode } from './state.ts'

/** Results of one check in ascending order of start, then location, then id. */
export type ResultRows = {
  readonly times: Float64Array
  /** Location codes, from 0; a code is the same location in every chunk. */
  readonly locations: Int32Array
  /** 0 up, 1 degraded, 2 down. */
  readonly outcomes: Uint8Array
}

/** The state of one location from an instant on, by its code. */
export type Change = { readonly at: number; readonly location: number; readonly code: number }

/** Finds when the states of locations change. Changes at the same instant come in the order of results. */
type ChangeFinder = {
  /** The changes up to the last result of the chunk, in order of time. */
  push(chunk: ResultRows): readonly Change[]
  /** The changes when holds end, up to an instant; all results up to it must have been pushed. */
  expire(through: number): readonly Change[]
}

/**
 * Most results repeat the state of their location before its hold has ended; for these, one comparison is enough. The end of a hold is
 * detected at the next result of the location or at the end of the chunk, so changes are sorted by time.
 */
export function changeFinder(regimes: readonly Regime[], now: number): ChangeFinder {
  const holds = holdsOf(regimes)
  const waitsForPings = isPinged(regimes.at(-1) as Regime)
  let hold: Hold = holds[0]
  let codes = new Uint8Array(0)
  let until = new Float64Array(0)
  let changes: Change[] = []
  let pinged = 0

  function push(chunk: ResultRows): readonly Change[] {
    const { times, locations, outcomes } = chunk
    const end = firstNotBefore(times, now + 1)
    for (let row = 0; row < end; row++) {
      row = extendHolds(chunk, { row, end }, { codes, until }, hold)
      if (row === end) break
      const time = times[row] as number
      const location = locations[row] as number
      if (time >= hold.to) hold = holds.findLast(({ from }) => from <= time) as Hold
      turn(location, outcomes[row] as number, time)
      until[location] = time + hold.ms
    }
    return expire(end === 0 ? Number.NEGATIVE_INFINITY : (times[end - 1] as number))
  }

  function turn(location: number, outcome: number, time: number): void {
    if (location >= codes.length) grow(2 * (location + 1))
    if (waitsForPings && pinged !== location) end(pinged, time)
    pinged = location
    if ((until[location] as number) < time) end(location, time)
    if (codes[location] !== outcome) changes.push({ at: time, location, code: outcome })
    codes[location] = outcome
  }

  /** Ends the hold of a location, at `time` at the latest. */
  function end(location: number, time: number): void {
    if (codes[location] === unknownCode) return
    changes.push({ at: Math.min(until[location] as number, time), location, code: unknownCode })
    codes[location] = unknownCode
  }

  function expire(through: number): readonly Change[] {
    for (let location = 0; location < codes.length; location++) {
      const at = until[location] as number
      if (at <= through) end(location, at)
    }
    const found = changes
    changes = []
    return isAscending(found) ? found : found.sort((a, b) => a.at - b.at)
  }

  function grow(capacity: number): void {
    const [oldCodes, oldUntil] = [codes, until]
    codes = new Uint8Array(capacity).fill(unknownCode)
    codes.set(oldCodes)
    until = new Float64Array(capacity).fill(Number.POSITIVE_INFINITY)
    until.set(oldUntil)
  }

  return { push, expire }
}

type LocationHolds = { readonly codes: Uint8Array; readonly until: Float64Array }

/** Applies results that repeat the state of their location while it holds; returns the row of the first other one. */
function extendHolds(
  chunk: ResultRows,
  rows: { readonly row: number; readonly end: number },
  { codes, until }: LocationHolds,
  hold: Hold,
): number {
  const { times, locations, outcomes } = chunk
  const { ms, to } = hold
  let { row } = rows
  for (; row < rows.end; row++) {
    const time = times[row] as number
    const location = locations[row] as number
    if (codes[location] !== outcomes[row] || time > (until[location] as number) || time >= to) break
    until[location] = time + ms
  }
  return row
}

function isAscending(changes: readonly Change[]): boolean {
  return changes.every(({ at }, i) => i === 0 || (changes[i - 1] as Change).at <= at)
}
