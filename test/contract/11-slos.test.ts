import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { schemeOf, type Tone } from '../../src/badges/themes.ts'
import type { Objective, Slo, SloWindow } from '../../src/catalogue/policies/policies.ts'
import type { CheckType } from '../../src/checks/define.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import type { Quorum } from '../../src/store/timeline/state.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { credentials, testCatalogue, testCheck, testSlo } from '../support/catalogue.ts'
import { anyRunType, pingedTypes } from '../support/example-config.ts'
import { dayStartsOf, naiveSlo, type Piece } from '../support/naive-slo.ts'
import { naiveChanges, timePieces } from '../support/naive-slo-time.ts'
import { type TestResult, testResult } from '../support/results.ts'
import { seeded } from '../support/timeline.ts'
import { zoneOf } from '../support/zone.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const now = Date.parse('2026-10-29T10:40:00Z')
const gridMs = 20 * minuteMs

const checkType = anyRunType()
const metric = checkType.duration ?? ''
const named = (id: string, tags: readonly string[], type = checkType) => testCheck(type, { id, name: id, tags, everyMs: gridMs })
const [pingedType = checkType] = pingedTypes
const checks = [named('home', ['shop']), named('basket', ['shop', 'slow']), named('job', ['batch'], pingedType), named('other', [])]

/** Runs with random failures and durations, at both locations in turn, with gaps. */
const results = checks.flatMap((check, place) => {
  const chance = seeded(place + 1)
  const count = (10 * dayMs) / gridMs
  return Array.from({ length: count }, (_, i) => now - i * gridMs).flatMap((startedAt, i) => {
    if (chance() < 0.1) return []
    const runLocation = check.locations[i % 2] ?? ''
    const hasFailures = chance() < 0.04
    const values = check.checkType === checkType && chance() > 0.05 ? { [metric]: Math.round(chance() * 1_000_000) / 1000 } : {}
    return [testResult(check, startedAt, { runLocation, hasFailures, isDegraded: chance() < 0.1, values, pages: [] })]
  })
})

const berlin = 'Europe/Berlin'
const calendar = (unit: 'day' | 'week' | 'month'): SloWindow => ({ kind: 'calendar', unit, zone: zoneOf(berlin) })
const byRuns: Objective = { kind: 'availability', by: 'runs', target: 95 }
const latency: Objective = { kind: 'latency', by: 'runs', target: 70, metric: 'duration', thresholdMs: 600 }
const slo = (id: string, more: Partial<Slo> = {}) => testSlo(id, { tags: ['shop'], objective: byRuns, ...more })
const slos = [
  slo('shop'),
  slo('month', { window: calendar('month') }),
  slo('week', { window: calendar('week'), tags: [] }),
  slo('fast', { objective: latency }),
  slo('exactly', { objective: { ...latency, thresholdMs: 0 }, tags: [], checks: ['home', 'job'], window: calendar('day') }),
  slo('nothing', { tags: ['none yet'] }),
  slo('up', { objective: { ...byRuns, by: 'time' } }),
  slo('all up', { id: 'all-up', objective: { ...byRuns, by: 'time' }, tags: [], window: calendar('month') }),
]

/** The database moved during three steps of the grid; the slow checks are patched every night. */
const moved = { from: now - 26 * hourMs, to: now - 25 * hourMs + 1 }
const maintenance = [
  { name: 'Database move', ...moved, checks: [], tags: ['shop'] },
  { name: 'Patch night', every: 'day' as const, atMinutes: 120, forMs: 90 * minuteMs, zone: zoneOf('UTC'), checks: [], tags: ['slow'] },
]

function isInMaintenance(checkId: string, at: number): boolean {
  const tags = checks.find(({ id }) => id === checkId)?.tags ?? []
  const sinceNight = (at % dayMs) - 120 * minuteMs
  return (
    (tags.includes('shop') && at >= moved.from && at < moved.to) || (tags.includes('slow') && sinceNight >= 0 && sinceNight < 90 * minuteMs)
  )
}

const pageTime = (metrics: CheckType['metrics']) =>
  Object.keys(metrics).find((name) => metrics[name]?.perPage && metrics[name]?.unit === 'milliseconds')

let api: TestApp
beforeAll(async () => {
  api = await openTestApp({ catalogue: testCatalogue({ checks, policies: { slos, maintenance } }), results, now })
})
afterAll(() => api.close())

const selected = ({ checks: ids, tags }: Slo) =>
  checks.filter(
    (check) => (ids.length === 0 || ids.includes(check.id)) && (tags.length === 0 || tags.some((tag) => check.tags.includes(tag))),
  )

type WhatIf = {
  readonly target?: number
  readonly thresholdMs?: number
  readonly from?: number
  readonly to?: number
  readonly maintenance?: string
  readonly by?: string
  readonly quorum?: Quorum
}

const pathOf = (id: string, whatIf: WhatIf = {}) =>
  `/v1/slos/${id}?${new URLSearchParams(Object.entries(whatIf).map(([name, value]): [string, string] => [name, String(value)]))}`

function counted({ result }: TestResult, objective: Objective, threshold: number) {
  const value = result.values[metric]
  if (objective.kind === 'availability') return [{ at: result.startedAt, counted: 1, good: result.hasFailures ? 0 : 1 }]
  return value === undefined ? [] : [{ at: result.startedAt, counted: 1, good: value <= threshold ? 1 : 0 }]
}

function oracle(one: Slo, whatIf: WhatIf) {
  const zone = one.window.kind === 'calendar' ? berlin : 'UTC'
  const { target = one.objective.target, to = now } = whatIf
  const starts = { month: '2026-09-30T22:00:00Z', week: '2026-10-25T23:00:00Z', day: '2026-10-28T23:00:00Z' }
  const start = one.window.kind === 'calendar' ? Date.parse(starts[one.window.unit]) : to - one.window.durationMs
  const [from, end] = [whatIf.from ?? start, Math.min(to, now)]
  const byTime = (whatIf.by ?? one.objective.by) === 'time'
  const pieces = byTime ? timeOf(one, whatIf, { from, end, zone }) : runsOf(one, whatIf)
  return naiveSlo({ pieces, from, end, target, unit: byTime ? 1000 : 1, zone })
}

function runsOf(one: Slo, whatIf: WhatIf): readonly Piece[] {
  const ids = selected(one).map(({ id }) => id)
  const threshold = whatIf.thresholdMs ?? (one.objective.kind === 'latency' ? one.objective.thresholdMs : 0)
  const counting = results.filter(
    ({ check, result }) =>
      ids.includes(check.checkId) && (whatIf.maintenance === 'include' || !isInMaintenance(check.checkId, result.startedAt)),
  )
  return counting.flatMap((result) => counted(result, one.objective, threshold))
}

const known = new Map<string, ReturnType<typeof naiveChanges>>()

function timeOf(
  one: Slo,
  { quorum = 1, maintenance: counts }: WhatIf,
  span: { from: number; end: number; zone: string },
): readonly Piece[] {
  const nights = Array.from({ length: 14 }, (_, i) => Math.floor(now / dayMs - i) * dayMs + 120 * minuteMs)
  const edges = [moved.from, moved.to, ...nights, ...nights.map((night) => night + 90 * minuteMs)]
  const burns = [1, 6, 24, 72].map((hours) => span.end - hours * hourMs)
  const cuts = [...edges, ...burns, ...dayStartsOf(span), span.from, span.end].filter((at) => at <= span.end)
  return selected(one).flatMap((check) => {
    const changes = known.get(`${check.id} ${quorum}`) ?? naiveChanges(check, results, quorum)
    known.set(`${check.id} ${quorum}`, changes)
    return timePieces(changes, cuts, (at) => counts !== 'include' && isInMaintenance(check.id, at))
  })
}

const find = (id: string) => slos.find((one) => one.id === id) ?? slo(id)

describe('GET /v1/slos/{id}', () => {
  const whatIfs: readonly WhatIf[] = [
    {},
    { target: 99.5 },
    { maintenance: 'include' },
    { from: now - 3 * dayMs - 1, to: now - dayMs },
    { from: now - 2 * hourMs, to: now + 9 * dayMs },
    { from: now - 9 * dayMs, maintenance: 'include', target: 50 },
    { from: moved.from, to: moved.to - 1 },
    { from: moved.to - 1, to: moved.to },
  ]
  const cases = slos.flatMap((one) => whatIfs.map((whatIf) => ({ id: one.id, whatIf })))
  test.each(cases)('$id with $whatIf has the figures computed from its single runs or states', async ({ id, whatIf }) => {
    const { status, body } = await api.get(pathOf(id, whatIf))
    expect(status).toBe(200)
    expect(body).toMatchObject(oracle(find(id), whatIf))
  })

  const timed: readonly WhatIf[] = [
    { by: 'time', quorum: 2 },
    { by: 'time', quorum: 'majority', maintenance: 'include' },
    { by: 'time', quorum: 3, from: now - 4 * dayMs + 5, to: now - 2 * dayMs + 7 },
    { by: 'time', from: moved.from, to: moved.to },
    { by: 'runs', quorum: 2 },
  ]
  const timedCases = ['shop', 'week', 'up', 'all-up'].flatMap((id) => timed.map((whatIf) => ({ id, whatIf })))
  test.each(timedCases)('$id with $whatIf has the figures computed from its states, to the millisecond', async ({ id, whatIf }) => {
    const { status, body } = await api.get(pathOf(id, whatIf))
    expect(status).toBe(200)
    expect(body.budget.unit).toBe(whatIf.by === 'time' ? 'seconds' : 'runs')
    expect(body).toMatchObject(oracle(find(id), whatIf))
  })

  test.each([0, 0.001, 599.999, 600, 1000])('a latency of at most %s ms is good', async (thresholdMs) => {
    const { body } = await api.get(pathOf('fast', { thresholdMs }))
    expect(body).toMatchObject({ objective: { thresholdMs }, ...oracle(find('fast'), { thresholdMs }) })
  })

  test('for a metric that each page of a run has, every page counts', async () => {
    const paged = checkTypes.find(({ metrics }) => pageTime(metrics) !== undefined) ?? checkType
    const name = pageTime(paged.metrics) ?? ''
    const visit = (ms: number) => ({ pageUrl: 'https://example.test/', values: { [name]: ms } })
    const check = testCheck(paged, { id: 'paged' })
    const pages = testSlo('pages', { objective: { ...latency, metric: name, thresholdMs: 100 } })
    const site = await openTestApp({
      catalogue: testCatalogue({ checks: [check], policies: { slos: [pages] } }),
      results: [testResult(check, now - hourMs, { pages: [visit(90), visit(100), visit(100.001)] })],
      now,
    })
    expect((await site.get('/v1/slos/pages')).body).toMatchObject({ attained: (2 / 3) * 100, budget: { used: 1 } })
    await site.close()
  })

  test('has the properties of the contract, in its order', async () => {
    const { body } = await api.get('/v1/slos/fast')
    expect(Object.keys(body)).toEqual('id name checks objective window from to attained met budget burnRate exhaustedAt days'.split(' '))
    expect(body).toMatchObject({
      id: 'fast',
      name: 'The fast',
      checks: ['home', 'basket'],
      objective: { kind: 'latency', by: 'runs', target: 70, metric: 'duration', thresholdMs: 600 },
      window: { kind: 'rolling', duration: '7d' },
      from: new Date(now - 7 * dayMs).toISOString(),
      to: new Date(now).toISOString(),
      budget: { unit: 'runs' },
    })
  })

  test('a target that is attained is met', async () => {
    const { body } = await api.get('/v1/slos/shop')
    expect((await api.get(pathOf('shop', { target: Math.floor(body.attained) }))).body.met).toBe(true)
    expect((await api.get(pathOf('shop', { target: Math.ceil(body.attained) }))).body.met).toBe(false)
  })

  test('a date is a day of its window, in the zone of its window', async () => {
    const inZone = async (id: string) => (await api.get(`/v1/slos/${id}?from=2026-10-24&to=2026-10-25`)).body
    expect(await inZone('month')).toMatchObject({ from: '2026-10-23T22:00:00.000Z', to: '2026-10-25T22:59:59.999Z' })
    expect(await inZone('shop')).toMatchObject({ from: '2026-10-24T00:00:00.000Z', to: '2026-10-25T23:59:59.999Z' })
  })

  test('an SLO that selects no check yet counts nothing', async () => {
    const { body } = await api.get('/v1/slos/nothing')
    expect(body).toMatchObject({ checks: [], attained: null, met: null, budget: { total: 0, used: 0, left: 0 }, exhaustedAt: null })
    expect(body.days).toHaveLength(8)
  })

  test('an unknown SLO is a 404', async () => {
    expect(await api.get('/v1/slos/nobody')).toMatchObject({ status: 404, body: { code: 'SLO_NOT_FOUND' } })
  })

  test('an invalid id is a 400', async () => {
    expect((await api.get('/v1/slos/a%20b')).status).toBe(400)
  })

  test.each([
    ['targt=99', 'Nearest: target'],
    ['timezone=UTC', 'is no parameter'],
    ['target=100', 'target must be a percentage above 0 and below 100'],
    ['target=0', 'target must be'],
    ['target=1e1', 'target must be'],
    ['target=99&target=98', 'more than once'],
    ['by=week', 'by must be one of runs, time'],
    ['thresholdMs=5', 'thresholdMs must be absent for an availability objective'],
    ['quorum=0', 'quorum must be'],
    ['quorum=most', 'quorum must be'],
    ['maintenance=maybe', 'maintenance must be one of exclude, include'],
    ['from=2026-02-30', 'from must be'],
    ['from=2026-10-02&to=2026-10-01', 'from must not be after to'],
  ])('%s is a 400 that says how to fix it', async (query, message) => {
    expect(await api.get(`/v1/slos/shop?${query}`)).toMatchObject({ status: 400, body: { message: expect.stringContaining(message) } })
  })

  test('a latency objective is by runs only', async () => {
    expect(await api.get('/v1/slos/fast?by=time')).toMatchObject({
      status: 400,
      body: { message: 'by must be runs for a latency objective.' },
    })
  })
})

describe('GET /v1/slos', () => {
  test('is a bare array of the same objects, in the order of the config', async () => {
    const { body } = await api.get('/v1/slos')
    const single = await Promise.all(slos.map(async ({ id }) => (await api.get(`/v1/slos/${id}`)).body))
    expect(body).toEqual(single)
  })

  test('applies overrides to each SLO that they apply to', async () => {
    const { body } = await api.get('/v1/slos?target=90&thresholdMs=100')
    expect(body.map(({ objective }: { objective: Objective }) => objective)).toEqual(
      slos.map(({ objective }) => ({ ...objective, target: 90, ...(objective.kind === 'latency' && { thresholdMs: 100 }) })),
    )
  })

  test('has only the SLOs that include one of some checks', async () => {
    const of = async (...ids: readonly string[]) => (await api.get(`/v1/slos?checkId=${ids}`)).body
    const all: readonly { readonly checks: readonly string[] }[] = (await api.get('/v1/slos')).body
    for (const { id } of checks) expect(await of(id)).toEqual(all.filter((one) => one.checks.includes(id)))
    expect((await Promise.all(checks.map(({ id }) => of(id)))).some((some) => some.length < all.length)).toBe(true)
    expect(await of(...checks.map(({ id }) => id))).toEqual(all.filter((one) => one.checks.length > 0))
    expect(await api.get('/v1/slos?checkId=nowhere')).toMatchObject({ status: 404, body: { code: 'CHECK_NOT_FOUND' } })
  })

  test('is empty for an account without SLOs, and a 401 without a key', async () => {
    const plain = await openTestApp({ catalogue: testCatalogue({ checks }), now })
    expect((await plain.get('/v1/slos', credentials)).body).toEqual([])
    expect((await plain.get('/v1/slos', {})).status).toBe(401)
    await plain.close()
  })
})

describe('the badge of an SLO', () => {
  const badge = (id: string, query: string) => api.get(`/v1/badges/checks/${id}.json?metric=slo&${query}`)
  const colourOf = (tone: Tone) => schemeOf('flat', 'light', tone).day.messageBack

  test('shows the attained percentage, rounded down, in the colour of a missed target', async () => {
    const { attained } = (await api.get('/v1/slos/fast')).body
    const message = `${Number((Math.floor(attained * 100) / 100).toFixed(2))} %`
    expect((await badge('home', 'slo=fast')).body).toMatchObject({ label: 'home', message, color: colourOf('failing') })
    expect((await badge('home', 'slo=fast&label=Fast')).body).toMatchObject({ label: 'Fast', message })
    expect((await api.get('/v1/badges/checks/home?metric=slo&slo=fast')).text).toContain(`aria-label="home: ${message}"`)
  })

  test('shows no data where nothing counts', async () => {
    const empty = await openTestApp({ catalogue: testCatalogue({ checks, policies: { slos } }), now })
    const { body } = await empty.get('/v1/badges/checks/home.json?metric=slo&slo=shop')
    expect(body).toMatchObject({ message: 'no data', color: colourOf('unknown') })
    await empty.close()
  })

  test('is passing while the target is met', async () => {
    const good = Array.from({ length: 48 }, (_, i) => testResult(named('home', ['shop']), now - i * hourMs))
    const calm = await openTestApp({ catalogue: testCatalogue({ checks, policies: { slos } }), results: good, now })
    const { body } = await calm.get('/v1/badges/checks/home.json?metric=slo&slo=shop')
    expect(body).toMatchObject({ message: '100 %', color: colourOf('passing') })
    await calm.close()
  })

  test('needs an SLO that includes the check', async () => {
    expect(await badge('home', '')).toMatchObject({ status: 400, body: { message: expect.stringContaining('slo is required') } })
    for (const query of ['slo=nobody', 'slo=nothing']) {
      expect(await badge('home', query)).toMatchObject({ status: 404, body: { code: 'CHECK_NOT_IN_SLO' } })
    }
    expect((await badge('other', 'slo=shop')).body.message).toBe('No SLO "shop" includes this check.')
  })
})
