import type { FiledResult } from '../../store/store.ts'
import { holdMs, isPinged } from '../../store/timeline/regime.ts'
import { downCode, unknownCode } from '../../store/timeline/state.ts'
import { minuteMs } from '../../time.ts'
import type { FactsView, LocationFacts } from './check-facts.ts'
import {
  addResult,
  type CheckTrack,
  changesAt,
  codeAt,
  createTrack,
  evaluate,
  locationDownSince,
  redefine,
  rewind,
  type Seed,
  seedTrack,
  type TrackedCheck,
} from './check-track.ts'

/** Tracks the state of the checks of one account from stored results, in any order. */
export type FactsTracker = FactsView & {
  /** Sets the tracked checks; others are dropped. */
  define(checks: readonly TrackedCheck[], now: number): void
  add(results: readonly FiledResult[], now: number): void
  seed(checkId: string, seed: Seed, now: number): void
  /**
   * Evaluates and returns the checks that may have changed since the last call, by results or by time; at most `limit`, the rest with the
   * next call. Facts are as of the last call.
   */
  changed(now: number, limit?: number): ReadonlySet<string>
  /** Whether results may have changed something since the last call of `changed`. */
  hasChanged(): boolean
  /** When a check may next change without a new result; null for never. */
  nextAt(): number | null
}

const wheelMs = 1000
/** A clock that is behind by more than this was set back. */
const setBackMs = minuteMs

type LocationTally = { known: number; readonly down: Map<string, number> }

export function createTracker(): FactsTracker {
  const tracks = new Map<string, CheckTrack>()
  const touched = new Set<CheckTrack>()
  /** Timer wheel: tracks by the second in which they may change without a new result. */
  const wheel = new Map<number, Set<CheckTrack>>()
  const locations = new Map<string, LocationTally>()
  /** The state of each location of a track, as it is counted in `locations`. */
  const counted = new Map<CheckTrack, number[]>()
  /** By check id and location, see `expectedSince`. */
  const expected = new Map<string, ReadonlyMap<string, number | null>>()
  let isDefined = false
  /** The last reading of the clock. */
  let clockAt = Number.NEGATIVE_INFINITY

  function followClock(now: number): void {
    if (now < clockAt - setBackMs) {
      for (const track of tracks.values()) {
        rewind(track, now)
        touched.add(track)
      }
    }
    clockAt = now
  }

  function schedule(track: CheckTrack, now: number): void {
    const at = changesAt(track, now)
    if (at === Number.POSITIVE_INFINITY) return
    const slot = Math.ceil(at / wheelMs)
    const others = wheel.get(slot)
    if (others) others.add(track)
    else wheel.set(slot, new Set([track]))
  }

  function turnWheel(now: number): void {
    for (const [slot, due] of wheel) {
      if (slot * wheelMs > now) continue
      wheel.delete(slot)
      for (const track of due) {
        if (tracks.get(track.check.id) !== track || touched.has(track)) continue
        if (hasExpired(track, now)) touched.add(track)
        else schedule(track, now)
      }
    }
  }

  /** Whether the counted state of a location has ended. */
  function hasExpired(track: CheckTrack, now: number): boolean {
    const codes = counted.get(track) ?? []
    const isDue = track.future[0] !== undefined && track.future[0].result.startedAt <= now
    return isDue || codes.some((code, location) => code !== codeAt(track, location, now))
  }

  function recount(track: CheckTrack, now: number): void {
    const { id, rhythm } = track.check
    const before = counted.get(track) ?? []
    const codes = track.rows.names.map((_, location) => codeAt(track, location, now))
    counted.set(track, codes)
    if (isPinged(rhythm)) return
    codes.forEach((code, location) => {
      const tally = tallyOf(track.rows.names[location] as string)
      const old = before[location] ?? unknownCode
      tally.known += Number(code !== unknownCode) - Number(old !== unknownCode)
      if (code === downCode) tally.down.set(id, locationDownSince(track, location))
      else if (old === downCode) tally.down.delete(id)
    })
  }

  function tallyOf(name: string): LocationTally {
    const known = locations.get(name) ?? { known: 0, down: new Map<string, number>() }
    locations.set(name, known)
    return known
  }

  function newestOf(id: string, location: string): CheckTrack['newest'][number] | undefined {
    const track = tracks.get(id)
    return track?.newest[track.rows.names.indexOf(location)]
  }

  function expectResults(check: TrackedCheck, previous: TrackedCheck | undefined, now: number): void {
    const known = previous && holdMs(check.rhythm) >= holdMs(previous.rhythm) ? expected.get(check.id) : undefined
    const newSince = isDefined ? now : null
    const since = (name: string) => (known?.has(name) ? (known.get(name) ?? null) : newSince)
    expected.set(check.id, new Map(check.expectedAt.map((name) => [name, since(name)])))
  }

  function forget(track: CheckTrack): void {
    const codes = isPinged(track.check.rhythm) ? [] : (counted.get(track) ?? [])
    codes.forEach((code, location) => {
      const tally = tallyOf(track.rows.names[location] as string)
      if (code !== unknownCode) tally.known--
      tally.down.delete(track.check.id)
    })
    counted.delete(track)
    expected.delete(track.check.id)
    touched.delete(track)
    tracks.delete(track.check.id)
  }

  return {
    define(checks, now) {
      const ids = new Set(checks.map(({ id }) => id))
      for (const [id, track] of tracks) if (!ids.has(id)) forget(track)
      for (const check of checks) {
        const track = tracks.get(check.id)
        expectResults(check, track?.check, now)
        if (track) redefine(track, check, now)
        const current = track ?? createTrack(check)
        tracks.set(check.id, current)
        touched.add(current)
      }
      isDefined = true
    },
    add(results, now) {
      followClock(now)
      for (const filed of results) {
        const track = tracks.get(filed.check.checkId)
        if (!track) continue
        const [next] = track.future
        if (addResult(track, filed, now)) touched.add(track)
        if (track.future[0] !== next) schedule(track, now)
      }
    },
    seed(checkId, seed, now) {
      const track = tracks.get(checkId)
      if (!track) return
      seedTrack(track, seed, now)
      touched.add(track)
    },
    changed(now, limit = Number.POSITIVE_INFINITY) {
      followClock(now)
      turnWheel(now)
      const changed = new Set<string>()
      for (const track of touched) {
        if (changed.size >= limit) break
        touched.delete(track)
        evaluate(track, now)
        recount(track, now)
        schedule(track, now)
        changed.add(track.check.id)
      }
      return changed
    },
    hasChanged: () => touched.size > 0,
    nextAt() {
      let first = Number.POSITIVE_INFINITY
      for (const slot of wheel.keys()) first = Math.min(first, slot)
      return wheel.size === 0 ? null : first * wheelMs
    },
    check: (id) => tracks.get(id)?.facts ?? null,
    newestAt: (id, location) => newestOf(id, location)?.time ?? null,
    expectedSince: (id, location) => expected.get(id)?.get(location) ?? null,
    receivedAt: (id, location) => newestOf(id, location)?.receivedAt ?? null,
    location: (name): LocationFacts => locations.get(name) ?? { known: 0, down: new Map() },
  }
}
