import fc from 'fast-check'
import type { Span } from '../../src/calendar/window.ts'
import type { ResultRows } from '../../src/store/timeline/changes.ts'
import type { StateInterval } from '../../src/store/timeline/interval.ts'
import type { Regime } from '../../src/store/timeline/regime.ts'
import { type Quorum, type TimelineState, timelineStates } from '../../src/store/timeline/state.ts'

export type Row = {
  readonly startedAt: number
  readonly location: string
  readonly id: string
  readonly outcome: number
  readonly error: string | null
}
export type History = {
  /** In order of arrival. */
  readonly rows: readonly Row[]
  readonly regimes: readonly Regime[]
  readonly quorum: Quorum
  readonly now: number
}

const time = fc.integer({ min: 0, max: 240 })
const locationNames = ['eu', 'us', 'ap', '\uff5e', '😀', '']
const rows = fc.uniqueArray(
  fc.record({
    startedAt: time,
    location: fc.constantFrom(...locationNames.slice(0, 3), ...locationNames),
    id: fc.string({ minLength: 1, maxLength: 2 }),
    outcome: fc.constantFrom(0, 0, 1, 2, 2),
    error: fc.constantFrom(null, 'refused', 'timeout', 'reset'),
  }),
  { maxLength: 60, selector: ({ startedAt, location, id }) => `${startedAt} ${location} ${id}` },
)
const evenMs = fc.integer({ min: 1, max: 15 }).map((half) => 2 * half)
const runRegime = fc.record({ from: time, periodMs: evenMs, locations: fc.integer({ min: 1, max: 3 }), parallel: fc.boolean() })
const pingRegime = fc.record({ from: time, periodMs: evenMs, graceMs: fc.integer({ min: 0, max: 20 }) })
const regimes = fc
  .oneof(
    { weight: 3, arbitrary: fc.array(runRegime, { minLength: 1, maxLength: 4 }) },
    fc.array(pingRegime, { minLength: 1, maxLength: 3 }),
  )
  .map((list): readonly Regime[] => list.toSorted((a, b) => a.from - b.from))

export const histories: fc.Arbitrary<History> = fc.record({
  rows,
  regimes,
  quorum: fc.constantFrom<Quorum>(1, 1, 2, 3, 'majority'),
  now: fc.integer({ min: 1, max: 300 }),
})
export const windows = fc.tuple(time, time).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }))
export const spans: fc.Arbitrary<readonly Span[]> = fc.array(
  fc.tuple(time, fc.integer({ min: 0, max: 60 })).map(([from, length]) => ({ from, to: from + length })),
  { maxLength: 5 },
)

export function inOrder(rows: readonly Row[]): readonly Row[] {
  return rows.toSorted(compareRows)
}

function compareRows(a: Row, b: Row): number {
  return a.startedAt - b.startedAt || compareTexts(a.location, b.location) || compareTexts(a.id, b.id)
}

const compareTexts = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** Sorted chunks of `chunkRows` rows, with location codes in order of arrival. */
export function chunksOf(
  rows: readonly Row[],
  chunkRows: number,
): { readonly chunks: readonly ResultRows[]; readonly names: readonly string[] } {
  const names = [...new Set(rows.map(({ location }) => location))]
  const ordered = inOrder(rows)
  const chunks = Array.from({ length: Math.ceil(rows.length / chunkRows) }, (_, i) => {
    const part = ordered.slice(i * chunkRows, (i + 1) * chunkRows)
    return {
      times: Float64Array.from(part, ({ startedAt }) => startedAt),
      locations: Int32Array.from(part, ({ location }) => names.indexOf(location)),
      outcomes: Uint8Array.from(part, ({ outcome }) => outcome),
    }
  })
  return { chunks, names }
}

/** A location's state at an instant, straight from the definition. */
export function naiveLocationState({ rows, regimes }: History, location: string, at: number): TimelineState {
  const isPinged = regimes.some((regime) => 'graceMs' in regime)
  const started = rows.filter((row) => row.startedAt <= at && (isPinged || row.location === location))
  const latest = started.reduce<Row | null>((last, row) => (last === null || compareRows(row, last) > 0 ? row : last), null)
  if (latest?.location !== location) return 'unknown'
  const regime = (regimes.findLast(({ from }) => from <= latest.startedAt) ?? regimes[0]) as Regime
  const hold = 'graceMs' in regime ? regime.periodMs + regime.graceMs : 1.5 * regime.periodMs * (regime.parallel ? 1 : regime.locations)
  return at < latest.startedAt + hold ? (timelineStates[latest.outcome] as TimelineState) : 'unknown'
}

/** The check's state at an instant, straight from the definition. */
export function naiveState(history: History, at: number): TimelineState {
  const names = new Set(history.rows.map(({ location }) => location))
  const known = [...names].map((name) => naiveLocationState(history, name, at)).filter((state) => state !== 'unknown')
  const down = known.filter((state) => state === 'down').length
  if (known.length === 0) return 'unknown'
  if (history.quorum === 'majority' ? down > known.length / 2 : down >= history.quorum) return 'down'
  return known.some((state) => state !== 'up') ? 'degraded' : 'up'
}

/** Maximal intervals of equal state over each millisecond of a span. */
export function naiveIntervals(stateAt: (at: number) => TimelineState, { from, to }: Span): readonly StateInterval[] {
  const intervals: StateInterval[] = []
  for (let at = from; at < to; at++) {
    const state = stateAt(at)
    const last = intervals.at(-1)
    if (last?.state === state) intervals[intervals.length - 1] = { from: last.from, to: at + 1, state }
    else intervals.push({ from: at, to: at + 1, state })
  }
  return intervals
}

export const covers = (spans: readonly Span[], at: number) => spans.some(({ from, to }) => from <= at && at < to)

/** A sequence of pseudo-random numbers in [0, 1). */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
