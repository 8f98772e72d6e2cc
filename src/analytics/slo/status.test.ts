import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { naiveLocal, naiveStartAfter, naiveStartOf } from '../../../test/support/naive-calendar.ts'
import { zoneOf } from '../../../test/support/zone.ts'
import { latencyMetric } from '../../catalogue/policies/latency-metric.ts'
import type { Objective, Slo, SloWindow } from '../../catalogue/policies/policies.ts'
import { checkTypes } from '../../checks/registry.ts'
import { type GoodOfCounted, pooledMeasurements, type SloMeasurements } from './measurements.ts'
import { overrideObjective } from './objective.ts'
import { type SloStatus, sloStatus } from './status.ts'
import { burnPeriods, perBurnPeriod, planSlo, type SloPlan, type WindowOverride } from './window.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const at = (text: string) => Date.parse(text)
const now = at('2026-11-14T12:00:00Z')
const byRuns: Objective = { kind: 'availability', by: 'runs', target: 99 }
const byTime: Objective = { kind: 'availability', by: 'time', target: 99 }
const rolling = (days: number): SloWindow => ({ kind: 'rolling', duration: `${days}d`, durationMs: days * dayMs })
const monthly = (zone: string): SloWindow => ({ kind: 'calendar', unit: 'month', zone: zoneOf(zone) })

/** Something measured at an instant: a run, or a span of time short enough to lie within one day. */
type Piece = GoodOfCounted & { readonly at: number }

function tallyOf(pieces: readonly Piece[], from: number, to: number): GoodOfCounted {
  const within = pieces.filter((piece) => piece.at >= from && piece.at <= to)
  return { counted: sum(within.map(({ counted }) => counted)), good: sum(within.map(({ good }) => good)) }
}

/** Measures a plan as a store would. */
function measure({ window, end, dayStarts, burn }: SloPlan, pieces: readonly Piece[]): SloMeasurements {
  const days = Array.from(dayStarts, (start, i) => {
    const dayEnd = (dayStarts[i + 1] ?? Infinity) - 1
    return [start, tallyOf(pieces, Math.max(start, window.from), Math.min(dayEnd, end))] as const
  })
  return {
    days: new Map(days.filter(([, { counted }]) => counted > 0)),
    burn: perBurnPeriod((p) => tallyOf(pieces, burn[p].from, burn[p].to)),
  }
}

type StatusOptions = {
  readonly objective?: Objective
  readonly window?: SloWindow
  readonly override?: WindowOverride
  readonly now?: number
}

function statusOf(
  pieces: readonly Piece[],
  { objective = byRuns, window = rolling(30), override, now: instant = now }: StatusOptions = {},
): SloStatus {
  const slo: Slo = { id: 'shop', name: 'Shop', checks: [], tags: ['shop'], objective, window }
  const plan = planSlo(slo, instant, override)
  return sloStatus({ slo, objective, checks: ['a', 'b'], plan }, measure(plan, pieces))
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, n) => total + n, 0)
const runs = (time: string, counted: number, bad = 0): Piece => ({ at: at(time), counted, good: counted - bad })

describe('the status of an SLO', () => {
  test('has all properties of the contract, in order', () => {
    const pieces = [runs('2026-11-12T10:00:00Z', 600, 2), runs('2026-11-13T18:00:00Z', 390, 2), runs('2026-11-14T11:30:00Z', 10)]
    const status = statusOf(pieces, { window: { kind: 'rolling', duration: '3d', durationMs: 3 * dayMs } })
    expect(JSON.stringify(status)).toBe(
      JSON.stringify({
        id: 'shop',
        name: 'Shop',
        checks: ['a', 'b'],
        objective: { kind: 'availability', by: 'runs', target: 99 },
        window: { kind: 'rolling', duration: '3d' },
        from: '2026-11-11T12:00:00.000Z',
        to: '2026-11-14T12:00:00.000Z',
        attained: 99.6,
        met: true,
        budget: { unit: 'runs', total: 1000 * (1 - 0.99), used: 4, left: 1000 * (1 - 0.99) - 4 },
        burnRate: { '1h': 0, '6h': 0, '24h': 2 / 400 / (1 - 0.99), '3d': 4 / 1000 / (1 - 0.99) },
        exhaustedAt: '2026-11-17T12:00:00.000Z',
        days: [
          { day: '2026-11-11', attained: null, budgetLeft: 1000 * (1 - 0.99) },
          { day: '2026-11-12', attained: (598 / 600) * 100, budgetLeft: 1000 * (1 - 0.99) - 2 },
          { day: '2026-11-13', attained: (388 / 390) * 100, budgetLeft: 1000 * (1 - 0.99) - 4 },
          { day: '2026-11-14', attained: 100, budgetLeft: 1000 * (1 - 0.99) - 4 },
        ],
      }),
    )
  })

  test('includes the metric and threshold of a latency objective, and the zone of a calendar window', () => {
    const objective: Objective = { kind: 'latency', by: 'runs', target: 99, metric: 'duration', thresholdMs: 800 }
    const status = statusOf([], { objective, window: monthly('Europe/Berlin') })
    expect(status.objective).toEqual(objective)
    expect(status.window).toEqual({ kind: 'calendar', unit: 'month', timezone: 'Europe/Berlin' })
    expect(status.from).toBe('2026-10-31T23:00:00.000Z')
    expect(status.days).toHaveLength(14)
    expect(status.days[0]?.day).toBe('2026-11-01')
  })

  test('without data is neither met nor missed, and has no budget', () => {
    const status = statusOf([])
    expect(status).toMatchObject({ attained: null, met: null, budget: { total: 0, used: 0, left: 0 }, exhaustedAt: null })
    expect(Object.values(status.burnRate)).toEqual([null, null, null, null])
  })

  test('by time has its budget in seconds', () => {
    const status = statusOf([{ at: now - 1, counted: 2_000_000, good: 1_999_500 }], { objective: byTime })
    expect(status.budget).toEqual({ unit: 'seconds', total: 2000 * (1 - 0.99), used: 0.5, left: 2000 * (1 - 0.99) - 0.5 })
  })

  test.each([99, 99.5, 99.9, 99.95, 99.99, 95.7, 66.1])(
    'with a budget of %s that the last run has used up is met, and exhausted now',
    (target) => {
      const counted = 100_000
      const bad = Math.round(counted * (1 - target / 100))
      const objective: Objective = { ...byRuns, target }
      const old = now - 3 * dayMs
      const exact = statusOf([{ at: old, counted, good: counted - bad }], { objective })
      expect(exact).toMatchObject({ met: true, exhaustedAt: exact.to })
      expect(statusOf([{ at: old, counted, good: counted - bad - 1 }], { objective })).toMatchObject({ met: false, exhaustedAt: exact.to })
      expect(statusOf([{ at: old, counted, good: counted - bad + 1 }], { objective })).toMatchObject({ met: true, exhaustedAt: null })
    },
  )

  test('is never exhausted if that would be after the year 9999', () => {
    expect(statusOf([{ at: now, counted: 1e12, good: 1e12 - 1 }]).exhaustedAt).toBeNull()
  })
})

describe('the window of an SLO', () => {
  const slo = { window: monthly('America/New_York') }
  test.each([
    ['day', '2026-11-14T05:00:00.000Z'],
    ['week', '2026-11-09T05:00:00.000Z'],
    ['month', '2026-11-01T04:00:00.000Z'],
  ] as const)('begins with its local %s', (unit, from) => {
    const plan = planSlo({ window: { kind: 'calendar', unit, zone: zoneOf('America/New_York') } }, now)
    expect(plan.window).toEqual({ from: at(from), to: now })
  })
  test('moves with the current time', () => {
    expect(planSlo({ window: rolling(30) }, now).window).toEqual({ from: now - 30 * dayMs, to: now })
  })
  test('keeps its length or unit if only its end is given', () => {
    const to = at('2026-10-31T12:00:00Z')
    expect(planSlo({ window: rolling(7) }, now, { from: null, to }).window).toEqual({ from: to - 7 * dayMs, to })
    expect(planSlo(slo, now, { from: null, to }).window).toEqual({ from: at('2026-10-01T04:00:00Z'), to })
  })
  test('can be given as a whole, and is measured until now', () => {
    const window = { from: now - hourMs, to: now + 5 * dayMs }
    const plan = planSlo(slo, now, window)
    expect(plan).toMatchObject({ window, end: now, burn: { '1h': { from: now - hourMs, to: now } } })
    expect(plan.dayStarts).toHaveLength(1)
  })
  test('has no days if it lies in the future', () => {
    expect(planSlo(slo, now, { from: now + 1, to: now + dayMs }).dayStarts).toHaveLength(0)
  })
  test('must not end before it begins', () => {
    expect(() => planSlo(slo, now, { from: now, to: now - 1 })).toThrow('from must not be after to')
  })
})

describe('an objective with overridden values', () => {
  const latency: Objective = { kind: 'latency', by: 'runs', target: 99, metric: 'duration', thresholdMs: 800 }
  const none = { target: null, thresholdMs: null, by: null }
  test('keeps values that are not given', () => {
    expect(overrideObjective(byRuns, none)).toEqual(byRuns)
    expect(overrideObjective(byRuns, { ...none, by: 'time', target: 99.5 })).toEqual({ ...byTime, target: 99.5 })
    expect(overrideObjective(latency, { ...none, thresholdMs: 0, by: 'runs' })).toEqual({ ...latency, thresholdMs: 0 })
  })
  test.each([
    [byRuns, { ...none, target: 100 }, 'target must be'],
    [byRuns, { ...none, target: Number.NaN }, 'target must be'],
    [byRuns, { ...none, thresholdMs: 5 }, 'thresholdMs must be absent'],
    [latency, { ...none, by: 'time' as const }, 'by must be runs'],
  ])('rejects invalid values', (objective, override, message) => {
    expect(() => overrideObjective(objective, override)).toThrow(message)
  })
  test.each(checkTypes)('measures the duration of $type checks, or the given metric', (checkType) => {
    expect(latencyMetric('duration', checkType)).toBe(checkType.duration)
    expect(latencyMetric('total', checkType)).toBe('total')
  })
})

describe('against a naive oracle', () => {
  const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe'] as const
  const end = fc.integer({ min: at('2026-09-20T00:00:00Z'), max: at('2026-11-20T00:00:00Z') })
  const piece = fc
    .tuple(fc.nat(20 * dayMs), fc.nat(2000), fc.nat(2000))
    .map(([age, a, b]) => ({ age, counted: Math.max(a, b), good: Math.min(a, b) }))
  const thousandths = fc.integer({ min: 1, max: 99_999 })

  test.each(zones)('figures, days and burn rates in %s equal sums over single pieces', (zone) => {
    const window = fc.oneof(
      fc.integer({ min: 1, max: 8 }).map(rolling),
      fc.constantFrom('day', 'week').map((unit): SloWindow => ({ kind: 'calendar', unit, zone: zoneOf(zone) })),
    )
    fc.assert(
      fc.property(end, window, fc.array(piece, { maxLength: 12 }), thousandths, fc.boolean(), (to, window, aged, k, timed) => {
        const pieces = aged.map(({ age, ...tally }) => ({ at: to - age, ...tally }))
        const objective: Objective = { kind: 'availability', by: timed ? 'time' : 'runs', target: k / 1000 }
        const status = statusOf(pieces, { objective, window, now: to })
        expectNaive(status, { pieces, to, k, window, unit: timed ? 1000 : 1, zone: window.kind === 'rolling' ? 'UTC' : zone })
      }),
      { numRuns: 40 },
    )
  })

  test('the last day has the remaining budget, and pooled measurements of checks equal those of all their runs', () => {
    fc.assert(
      fc.property(end, fc.array(fc.array(piece, { maxLength: 6 }), { maxLength: 4 }), (to, checks) => {
        const each = checks.map((aged) => aged.map(({ age, ...tally }) => ({ at: to - age, ...tally })))
        const plan = planSlo({ window: rolling(7) }, to)
        const slo: Slo = { id: 'a', name: 'a', checks: [], tags: [], objective: byTime, window: rolling(7) }
        const subject = { slo, objective: byTime, checks: [], plan }
        const pooled = sloStatus(subject, pooledMeasurements(each.map((pieces) => measure(plan, pieces))))
        expect(pooled).toEqual(sloStatus(subject, measure(plan, each.flat())))
        expect(pooled.days.at(-1)?.budgetLeft).toBe(pooled.budget.left)
      }),
    )
  })
})

type Case = {
  readonly pieces: readonly Piece[]
  readonly to: number
  /** The target in thousandths of a percent. */
  readonly k: number
  readonly window: SloWindow
  readonly unit: number
  readonly zone: string
}

/** Compares with sums over single pieces, whole numbers where a comparison decides. */
function expectNaive(status: SloStatus, { pieces, to, k, window, unit, zone }: Case): void {
  const from = window.kind === 'rolling' ? to - window.durationMs : naiveStartOf(window.unit, to, zone)
  const { counted, good } = tallyOf(pieces, from, to)
  const bad = counted - good
  const share = (100_000 - k) / 100_000
  const spare = counted * (100_000 - k) - bad * 100_000
  expect(status.from).toBe(new Date(from).toISOString())
  expectClose(status.attained, counted === 0 ? null : (100 * good) / counted)
  expect(status.met).toBe(counted === 0 ? null : spare >= 0)
  expectClose(status.budget.total, (counted * share) / unit)
  expectClose(status.budget.used, bad / unit)
  for (const [period, lengthMs] of Object.entries(burnPeriods)) {
    const tally = tallyOf(pieces, to - lengthMs, to)
    const rate = tally.counted === 0 ? null : (tally.counted - tally.good) / tally.counted / share
    expectClose(status.burnRate[period as keyof typeof burnPeriods], rate)
  }
  expectExhausted(status, { pieces, to, counted, left: spare / 100_000, spare })
  expectDays(status, naiveDays(pieces, { from, to, zone }), { total: (counted * share) / unit, unit })
}

type Exhaustion = {
  readonly pieces: readonly Piece[]
  readonly to: number
  readonly counted: number
  readonly left: number
  readonly spare: number
}

function expectExhausted({ exhaustedAt }: SloStatus, { pieces, to, counted, left, spare }: Exhaustion): void {
  const lastDay = tallyOf(pieces, to - dayMs, to)
  const perMs = (lastDay.counted - lastDay.good) / dayMs
  if (counted === 0 || (spare > 0 && perMs === 0)) expect(exhaustedAt).toBeNull()
  else if (spare <= 0) expect(exhaustedAt).toBe(new Date(to).toISOString())
  else expect(Math.abs(at(exhaustedAt ?? '') - (to + left / perMs))).toBeLessThanOrEqual(2)
}

type NaiveDay = GoodOfCounted & { readonly day: string }

function naiveDays(pieces: readonly Piece[], { from, to, zone }: { from: number; to: number; zone: string }): readonly NaiveDay[] {
  const days: NaiveDay[] = []
  for (let start = naiveStartOf('day', from, zone); start <= to; ) {
    const next = naiveStartAfter('day', start, zone)
    const day = new Date(naiveLocal(start, zone)).toISOString().slice(0, 10)
    days.push({ day, ...tallyOf(pieces, Math.max(from, start), Math.min(to, next - 1)) })
    start = next
  }
  return days
}

function expectDays({ days }: SloStatus, expected: readonly NaiveDay[], { total, unit }: { total: number; unit: number }): void {
  expect(days.map(({ day }) => day)).toEqual(expected.map(({ day }) => day))
  for (const [i, { attained, budgetLeft }] of days.entries()) {
    const { counted = 0, good = 0 } = expected[i] ?? {}
    expectClose(attained, counted === 0 ? null : (100 * good) / counted)
    expectClose(budgetLeft, total - sum(expected.slice(0, i + 1).map((day) => day.counted - day.good)) / unit)
  }
}

function expectClose(value: number | null, expected: number | null): void {
  if (value === null || expected === null) expect(value).toBe(expected)
  else expect(Math.abs(value - expected)).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(expected)))
}
