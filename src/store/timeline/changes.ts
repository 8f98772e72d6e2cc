import { type Hold, holdsOf, isPinged, type Regime } from './regime.ts'
import { unknownCode } from './state.ts'
import type { Chunk } from './sweep.ts'

/** The state of one location from an instant on, by its code. */
export type Change = { readonly at: number; readonly location: number; readonly code: number }

/** Finds when the states of locations change. Changes of one instant come in the order of results. */
export type ChangeFinder = {
  /** The changes up to the last result of the chunk, in order of time. */
  push(chunk: Chunk): readonly Change[]
  /** The holds that end up to an instant, once all results up to it have been pushed. */
  expire(through: number): readonly Change[]
}

/**
 * Most results repeat the state of their location before its hold has ended, which costs a comparison. That a hold has ended is noticed
 * with the next result of the location or at the end of the chunk, so changes are sorted by time.
 */
export function changeFinder(regimes: readonly Regime[], now: number): ChangeFinder {
  const holds = holdsOf(regimes)
  const waitsForPings = isPinged(regimes.at(-1) as Regime)
  let hold: Hold = holds[0]
  let codes = new Uint8Array(0)
  let until = new Float64Array(0)
  let changes: Change[] = []
  let pinged = 0

  function push({ times, locations, outcomes }: Chunk): readonly Change[] {
    let through = Number.NEGATIVE_INFINITY
    for (let row = 0; row < times.length; row++) {
      const time = times[row] as number
      if (time > now) break
      if (time >= hold.to) hold = holds.findLast(({ from }) => from <= time) as Hold
      const location = locations[row] as number
      const outcome = outcomes[row] as number
      if (codes[location] !== outcome || time > (until[location] as number)) turn(location, outcome, time)
      until[location] = time + hold.ms
      through = time
    }
    return expire(through)
  }

  function turn(location: number, outcome: number, time: number): void {
    if (location >= codes.length) grow(2 * (location + 1))
    if (waitsForPings && pinged !== location) end(pinged, time)
    pinged = location
    if ((until[location] as number) < time) end(location, time)
    if (codes[location] !== outcome) changes.push({ at: time, location, code: outcome })
    codes[location] = outcome
  }

  /** The hold of a location ends, at the latest at `time`. */
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

function isAscending(changes: readonly Change[]): boolean {
  return changes.every(({ at }, i) => i === 0 || (changes[i - 1] as Change).at <= at)
}
