// @slow
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seeded } from '../../../test/support/timeline.ts'
import { isThorough } from '../../../test/support/tries.ts'
import type { Span } from '../../calendar/window.ts'
import type { ResultRows } from './changes.ts'
import { applyPolicy } from './policy.ts'
import type { Regime } from './regime.ts'
import { availability, type StateTime, sumStateTime } from './state-time.ts'
import { sweep } from './sweep.ts'

// The scenarios and windows are those of Grafana's "About Uptime" (grafana/synthetic-monitoring-app, docs/uptime/uptime.md).

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000]
const start = Date.UTC(2026, 0, 1)
const windows = [
  { name: '10 minutes', lengthMs: 10 * minute, periodMs: 15 * second },
  { name: '3 hours', lengthMs: 3 * hour, periodMs: 15 * second },
  { name: '6 months', lengthMs: 182 * day, periodMs: minute },
  { name: '1 year', lengthMs: 365 * day, periodMs: minute },
]

type Failing = 'last' | 'first' | 'random' | 'shared'
type Scenario = {
  readonly name: string
  readonly failing: readonly Failing[]
  readonly share: number
  readonly versions: number
  /** The published value; null if it is random. */
  readonly expected: number | null
}
const scenarios: readonly Scenario[] = [
  { name: '1p_overlap', failing: ['last'], share: 0.1, versions: 1, expected: 90 },
  { name: '1p_random', failing: ['random'], share: 0.1, versions: 1, expected: 90 },
  { name: '1p_overlap_4c', failing: ['last'], share: 0.1, versions: 4, expected: 90 },
  { name: '2p_overlap', failing: ['last', 'last'], share: 0.1, versions: 1, expected: 90 },
  { name: '2p_no_overlap', failing: ['last', 'first'], share: 0.1, versions: 1, expected: 100 },
  { name: '2p_overlap_4c', failing: ['last', 'last'], share: 0.1, versions: 4, expected: 90 },
  { name: '2p_random', failing: ['random', 'random'], share: 0.1, versions: 1, expected: null },
  { name: '2p_shared_random', failing: ['shared', 'shared'], share: 0.1, versions: 1, expected: 90 },
  { name: '20p_random', failing: Array(20).fill('random'), share: 0.5, versions: 1, expected: null },
  { name: '20p_shared_random', failing: Array(20).fill('shared'), share: 0.5, versions: 1, expected: 50 },
]

/** One location: which of its runs fail, and the maximum delay of a run. */
type Probe = { readonly fails: Uint8Array; readonly seed: number; readonly lateMs: number }

/** Months are millions of results, so the published frequency is used only in long runs. */
const periodsApart = process.env.SOAK === 'long' ? 1 : isThorough ? 12 : 24

describe.each(windows)('over $name', ({ lengthMs, periodMs: publishedMs }) => {
  const span = { from: start, to: start + lengthMs }
  const periodMs = (lengthMs > day ? periodsApart : 1) * publishedMs

  test.each(scenarios)('$name is exact in phase', { timeout: 120_000 }, (scenario) => {
    const probes = probesOf(scenario, lengthMs / periodMs, 0)
    const time = timeOf(probes, span, regimesOf(scenario, span, periodMs))
    const failing = (probes[0]?.fails ?? new Uint8Array()).filter((_, run) => probes.every(({ fails }) => fails[run] === 1)).length
    expect(time).toMatchObject({ down: failing * periodMs, unknown: 0, maintenance: 0 })
    expect(time.up + time.degraded).toBe(lengthMs - failing * periodMs)
    if (scenario.expected !== null) expect(availability(time, 'up')).toBe(scenario.expected)
  })
  test.each(scenarios)('$name is exact if some runs are late and delay later ones', { timeout: 120_000 }, (scenario) => {
    const probes = probesOf(scenario, lengthMs / periodMs, periodMs / 3)
    const time = timeOf(probes, span, regimesOf(scenario, span, periodMs))
    const down = lengthOf(probes.reduce<readonly Span[]>((spans, probe) => whileFailing(spans, probe, span, periodMs), [span]))
    expect(time).toMatchObject({ down, unknown: 0, maintenance: 0 })
    expect(time.up + time.degraded).toBe(lengthMs - down)
  })
})

describe('a change of frequency', () => {
  test('does not affect earlier downtime, however many runs it had', () => {
    const fails = (from: number, to: number) => (at: number) => (at >= from && at < to ? 2 : 0)
    const often = { from: start, to: start + hour, periodMs: 15 * second }
    const seldom = { from: start + hour, to: start + 2 * hour, periodMs: minute }
    expect(availability(changing([often, seldom], fails(start + 90 * minute, start + 2 * hour)), 'up')).toBe(75)
    expect(availability(changing([often, seldom], fails(start, start + 30 * minute)), 'up')).toBe(75)
  })
  test('is exact for any sequence of frequencies and failures', () => {
    const phase = fc.record({ periodMs: fc.integer({ min: 10, max: 3600 }).map((s) => s * second), runs: fc.integer({ min: 1, max: 50 }) })
    fc.assert(
      fc.property(fc.array(phase, { minLength: 1, maxLength: 6 }), fc.integer(), (phases, seed) => {
        const random = seeded(seed)
        const parts = inSequence(phases)
        const outcomes = new Map(
          parts.flatMap(({ from, to, periodMs }) => runsOf(from, to, periodMs).map((at) => [at, random() < 0.3 ? 2 : 0])),
        )
        const downMs = parts.flatMap(({ from, to, periodMs }) =>
          runsOf(from, to, periodMs).map((at) => (outcomes.get(at) === 2 ? periodMs : 0)),
        )
        const down = downMs.reduce((sum, ms) => sum + ms, 0)
        const time = changing(parts, (at) => outcomes.get(at) ?? 0)
        expect(time).toMatchObject({ down, degraded: 0, unknown: 0 })
      }),
    )
  })
})

function probesOf({ failing, share }: Scenario, runs: number, lateMs: number): readonly Probe[] {
  const shared = randomFailures(runs, share, seeded(1))
  return failing.map((kind, i) => {
    const edge = kind === 'last' ? runs * (1 - share) : runs * share
    const fails = {
      last: () => Uint8Array.from({ length: runs }, (_, run) => (run >= edge ? 1 : 0)),
      first: () => Uint8Array.from({ length: runs }, (_, run) => (run < edge ? 1 : 0)),
      random: () => randomFailures(runs, share, seeded(100 + i)),
      shared: () => shared,
    }
    return { fails: fails[kind](), seed: 1000 + i, lateMs }
  })
}

/** Exactly the given share of runs, all equally likely. */
function randomFailures(runs: number, share: number, random: () => number): Uint8Array {
  let left = Math.round(runs * share)
  return Uint8Array.from({ length: runs }, (_, run) => {
    if (random() * (runs - run) >= left) return 0
    left--
    return 1
  })
}

function regimesOf({ failing, versions }: Scenario, { from, to }: Span, periodMs: number): readonly Regime[] {
  return Array.from({ length: versions }, (_, i) => ({
    from: from + (i * (to - from)) / versions,
    periodMs,
    locations: failing.length,
    parallel: true,
  }))
}

/** The starts of the runs of a probe: one in a hundred is late, and delays all later runs. */
function clockOf({ seed, lateMs }: Probe, periodMs: number): () => number {
  const random = seeded(seed)
  const runsInTime = () => (lateMs > 0 ? Math.floor(Math.log(1 - random()) / Math.log(0.99)) : Number.POSITIVE_INFINITY)
  let inTime = runsInTime()
  let next = start
  return () => {
    const at = next
    next += periodMs
    if (inTime-- === 0) {
      next += Math.floor(random() * lateMs)
      inTime = runsInTime()
    }
    return at
  }
}

/** The check is down while all of its probes are down. */
function timeOf(probes: readonly Probe[], span: Span, regimes: readonly Regime[]): StateTime {
  const { onInterval, rows } = sumStateTime([span.from])
  const sink = applyPolicy({ maintenance: [], serviceHours: null, minOutageMs: 0 }, span, onInterval)
  const sweeping = sweep({ regimes, quorum: probes.length, now: span.to, onInterval: sink })
  for (const chunk of chunksOf(probes, span, regimes[0]?.periodMs ?? 0)) sweeping.push(chunk)
  sweeping.end()
  return rows[0] as StateTime
}

function* chunksOf(probes: readonly Probe[], { to }: Span, periodMs: number): Generator<ResultRows> {
  const clocks = probes.map((probe) => clockOf(probe, periodMs))
  const next = Float64Array.from(clocks, (clock) => clock())
  const runs = new Int32Array(probes.length)
  const size = 4096
  const chunk = { times: new Float64Array(size), locations: new Int32Array(size), outcomes: new Uint8Array(size) }
  let rows = 0
  for (;;) {
    let first = 0
    for (let i = 1; i < next.length; i++) if ((next[i] as number) < (next[first] as number)) first = i
    const time = next[first] as number
    if (rows === size || time >= to) {
      yield {
        times: chunk.times.subarray(0, rows),
        locations: chunk.locations.subarray(0, rows),
        outcomes: chunk.outcomes.subarray(0, rows),
      }
      rows = 0
    }
    if (time >= to) return
    const run = runs[first] as number
    chunk.times[rows] = time
    chunk.locations[rows] = first
    chunk.outcomes[rows++] = probes[first]?.fails[run] === 1 ? 2 : 0
    runs[first] = run + 1
    next[first] = clocks[first]?.() ?? to
  }
}

/** The parts of ascending spans in which a probe sees a failure: from a failing run to the next run. */
function whileFailing(spans: readonly Span[], probe: Probe, { to }: Span, periodMs: number): readonly Span[] {
  const clock = clockOf(probe, periodMs)
  const common: Span[] = []
  let i = 0
  let at = clock()
  for (let run = 0; at < to; run++) {
    const next = clock()
    for (; probe.fails[run] === 1 && i < spans.length; i++) {
      const span = spans[i] as Span
      if (span.from >= next) break
      if (span.to > at) common.push({ from: Math.max(at, span.from), to: Math.min(next, span.to) })
      if (span.to > next) break
    }
    at = next
  }
  return common
}

const lengthOf = (spans: readonly Span[]) => spans.reduce((sum, { from, to }) => sum + to - from, 0)

type Part = Span & { readonly periodMs: number }

function inSequence(phases: readonly { readonly periodMs: number; readonly runs: number }[]): readonly Part[] {
  let from = start
  return phases.map(({ periodMs, runs }) => {
    const part = { from, to: from + runs * periodMs, periodMs }
    from = part.to
    return part
  })
}

function changing(parts: readonly Part[], outcomeAt: (at: number) => number): StateTime {
  const times = parts.flatMap(({ from, to, periodMs }) => runsOf(from, to, periodMs))
  const end = parts.at(-1)?.to ?? start
  const { onInterval, rows } = sumStateTime([start])
  const regimes = parts.map(({ from, periodMs }) => ({ from, periodMs, locations: 1, parallel: true }))
  const sink = applyPolicy({ maintenance: [], serviceHours: null, minOutageMs: 0 }, { from: start, to: end }, onInterval)
  const sweeping = sweep({ regimes, quorum: 1, now: end, onInterval: sink })
  sweeping.push({ times: Float64Array.from(times), locations: new Int32Array(times.length), outcomes: Uint8Array.from(times, outcomeAt) })
  sweeping.end()
  return rows[0] as StateTime
}

function runsOf(from: number, to: number, periodMs: number): readonly number[] {
  return Array.from({ length: (to - from) / periodMs }, (_, run) => from + run * periodMs)
}
