import { describe, expect, test } from 'vitest'
import { testCatalogue } from '../../../test/support/catalogue.ts'
import { exampleCheck } from '../../../test/support/example-config.ts'
import { zoneOf } from '../../../test/support/zone.ts'
import { maintenanceIntervals } from '../../calendar/schedule.ts'
import type { CheckType } from '../../checks/define.ts'
import { checkTypes } from '../../checks/registry.ts'
import { buildCatalogue } from '../build.ts'
import { parseConfig } from '../config-file/parse.ts'
import { maintenanceOf, noPolicies, type Policies, selects } from './policies.ts'

const isTimed = ({ duration }: CheckType) => duration !== null
const [timed] = checkTypes.filter(isTimed)
const durationMetric = timed?.duration ?? ''
const other = checkTypes.find((type) => isTimed(type) && !Object.hasOwn(type.metrics, durationMetric))
const checks = [
  { ...exampleCheck(timed as CheckType), id: 'checkout', tags: ['shop', 'web'] },
  { ...exampleCheck(other as CheckType), id: 'router', tags: ['lab'] },
]
const berlin = zoneOf('Europe/Berlin')
const at = (text: string) => Date.parse(text)

/** A file whose policies begin at line 4. */
function fileWith(policies: string): string {
  return [`accounts:`, `  - id: acme`, `    checks: ${JSON.stringify(checks)}`, ...policies.split('\n').map((line) => `    ${line}`)].join(
    '\n',
  )
}

function parse(policies: string): Policies {
  const parsed = parseConfig(fileWith(policies), {})
  if ('faults' in parsed) throw new Error(parsed.faults.map(({ text }) => text).join('\n'))
  const lifetimes = checks.map(() => ({ createdAt: 0, updatedAt: 0 }))
  return buildCatalogue(parsed.config, lifetimes).policies('acme')
}

function faultsOf(policies: string): readonly string[] {
  const parsed = parseConfig(fileWith(policies), {})
  return 'faults' in parsed ? parsed.faults.map(({ line, text }) => `${line}: ${text.replace('accounts[0].', '')}`) : []
}

const maintenance = (entry: string) => `maintenance:\n  - { name: M, ${entry} }`
const slo = (entry: string) => `slos:\n  - { id: shop, ${entry} }`
const available = 'objective: { kind: availability, target: 99.9 }'

describe('policies without faults', () => {
  test('are read as in the examples of the contract', () => {
    const {
      maintenance: windows,
      serviceHours,
      slos,
    } = parse(
      [
        'maintenance:',
        '  - { name: Database move, from: 2026-11-20T22:00:00+01:00, to: 2026-11-21T02:00:00+01:00, tags: [shop] }',
        '  - { name: Patch night, every: month, on: first sunday, at: "02:00", for: 2h, timezone: Europe/Berlin }',
        'serviceHours:',
        '  - { name: office, days: [mon, tue, wed, thu, fri], from: "08:00", to: "20:00", timezone: Europe/Berlin }',
        'slos:',
        '  - { id: shop, name: Shop, tags: [shop], objective: { kind: availability, by: runs, target: 99.9 }, window: 30d }',
        `  - { id: fast, name: Checkout is fast, checks: [checkout], objective: { kind: latency, metric: ${durationMetric}, thresholdMs: 800, target: 99 }, window: { calendar: month, timezone: Europe/Berlin } }`,
      ].join('\n'),
    )
    expect(windows).toEqual([
      { name: 'Database move', from: at('2026-11-20T21:00:00Z'), to: at('2026-11-21T01:00:00Z'), checks: [], tags: ['shop'] },
      {
        name: 'Patch night',
        every: 'month',
        on: { ordinal: 'first', weekday: 'sun' },
        atMinutes: 120,
        forMs: 7_200_000,
        zone: berlin,
        checks: [],
        tags: [],
      },
    ])
    expect(serviceHours).toEqual([
      { name: 'office', days: ['mon', 'tue', 'wed', 'thu', 'fri'], fromMinutes: 480, toMinutes: 1200, zone: berlin },
    ])
    expect(slos).toEqual([
      {
        id: 'shop',
        name: 'Shop',
        checks: [],
        tags: ['shop'],
        objective: { kind: 'availability', by: 'runs', target: 99.9 },
        window: { kind: 'rolling', duration: '30d', durationMs: 30 * 86_400_000 },
      },
      {
        id: 'fast',
        name: 'Checkout is fast',
        checks: ['checkout'],
        tags: [],
        objective: { kind: 'latency', by: 'runs', target: 99, metric: durationMetric, thresholdMs: 800 },
        window: { kind: 'calendar', unit: 'month', zone: berlin },
      },
    ])
  })

  test('may be absent', () => {
    expect(parse('name: Acme')).toEqual(noPolicies)
    expect(testCatalogue().policies('acme')).toEqual(noPolicies)
  })

  test.each([
    ['every: day, at: "23:30", for: 45m', { every: 'day', atMinutes: 1410, forMs: 2_700_000, zone: zoneOf('UTC') }],
    ['every: week, on: [mon, thu], at: 03:00, for: 1h', { every: 'week', on: ['mon', 'thu'], atMinutes: 180 }],
    ['every: month, on: 15, at: "00:00", for: 1d', { every: 'month', on: 15, atMinutes: 0, forMs: 86_400_000 }],
    ['every: month, on: last fri, at: "00:00", for: 1d', { every: 'month', on: { ordinal: 'last', weekday: 'fri' } }],
    ['from: 2026-11-20, to: 2026-11-21', { from: at('2026-11-20T00:00Z'), to: at('2026-11-22T00:00Z') }],
    ['from: 2026-10-25, to: 2026-10-25, timezone: europe/berlin', { from: at('2026-10-24T22:00Z'), to: at('2026-10-25T23:00Z') }],
    ['every: day, at: "00:00", for: 31d', { every: 'day', atMinutes: 0, forMs: 31 * 86_400_000 }],
    [
      'from: 2026-11-20T22:00:00Z, to: 2026-11-20T23:00:00Z, repeat: { every: week, interval: 2, until: 2027-01-31 }, timezone: Europe/Berlin',
      { from: at('2026-11-20T22:00Z'), repeat: { unit: 'week', interval: 2, until: at('2027-01-31T23:00Z') }, zone: berlin },
    ],
    [
      'from: 2026-11-20, to: 2026-11-20, repeat: { every: day }',
      { repeat: { unit: 'day', interval: 1, until: null }, zone: zoneOf('UTC') },
    ],
    ['from: 1795000000, to: 1795000000001', { from: 1_795_000_000_000, to: 1_795_000_000_001 }],
  ])('may have a maintenance window with %s', (entry, expected) => {
    expect(parse(maintenance(entry)).maintenance[0]).toMatchObject(expected)
  })

  test.each([
    ['window: 1h', { window: { kind: 'rolling', durationMs: 3_600_000 }, objective: { kind: 'availability', by: 'runs', target: 99.9 } }],
    ['window: 366d', { window: { kind: 'rolling', durationMs: 366 * 86_400_000 } }],
    ['window: { rolling: 7d }', { window: { kind: 'rolling', duration: '7d' } }],
    ['window: { calendar: week }', { window: { kind: 'calendar', unit: 'week', zone: { name: 'UTC' } } }],
    ['window: 30d, tags: [nobody]', { name: 'shop', tags: ['nobody'] }],
  ])('may have an SLO with %s', (entry, expected) => {
    expect(parse(slo(`${available}, ${entry}`)).slos[0]).toMatchObject(expected)
  })

  test('may have a latency objective on the duration of checks of several types', () => {
    const objective = 'objective: { kind: latency, metric: duration, thresholdMs: 500, target: 95 }'
    expect(parse(slo(`${objective}, window: 1d`)).slos[0]?.objective).toMatchObject({ metric: 'duration' })
  })
})

describe('every fault is reported with its line and the nearest valid name', () => {
  test.each([
    ['evry: day, at: "02:00", for: 2h', ['every is missing', 'did you mean every?']],
    ['from: 2026-11-20, too: 2026-11-21', ['to is missing', 'did you mean to?']],
    ['tags: [shop]', ['maintenance[0].from is missing', 'maintenance[0].to is missing']],
    ['from: tomorrow, to: 2026-11-21', ['maintenance[0].from must be a time such as 2026-11-20T22:00:00+01:00, or a date']],
    ['from: 2026-11-21T02:00:00Z, to: 2026-11-20T22:00:00Z', ['maintenance[0].to must be later than accounts[0].maintenance[0].from']],
    ['from: 2026-02-30, to: 2026-11-21', ['maintenance[0].from must be a time']],
    ['from: 2026-11-20, for: 2h', ['for is not allowed here: without every, a maintenance has only from and to', 'to is missing']],
    ['every: day, at: "02:00", for: 2h, from: 2026-11-20', ['from is not allowed here: a daily maintenance has only at and for']],
    ['every: day, at: "02:00", for: 2h, to: 2026-11-20', ['to is not allowed here: a daily maintenance has only at and for']],
    [
      'every: week, on: [mon], at: "02:00", for: 2h, from: 2026-11-20',
      ['from is not allowed here: a maintenance that recurs has at and for'],
    ],
    ['every: month, on: 1, at: "02:00", for: 2h, to: 2026-11-20', ['to is not allowed here: a maintenance that recurs has at and for']],
    [
      'from: 2026-11-20, to: 2026-11-21, on: 5, at: "02:00"',
      [
        'on is not allowed here: without every, a maintenance has only from and to',
        'at is not allowed here: without every, a maintenance has only from and to',
      ],
    ],
    ['from: 2026-11-20T22:00:00Z, to: 2026-11-20T22:00:00Z', ['maintenance[0].to must be later than accounts[0].maintenance[0].from']],
    ['from: 2026-11-20, to: tomorrow', ['maintenance[0].to must be a time such as']],
    ['from: 2026-11-20, to: 2026-11-21, repeat: { every: year }', ['repeat.every must be one of day, week, month']],
    ['from: 2026-11-20, to: 2026-11-21, repeat: { every: day, interval: 0 }', ['maintenance[0].repeat.interval must be ']],
    ['from: 2026-11-20, to: 2026-11-21, repeat: { every: day, until: soon }', ['maintenance[0].repeat.until must be a time such as']],
    ['from: 2026-11-20, to: 2026-12-21, repeat: { every: day }', ['maintenance[0].to must be at most 31 days later']],
    [
      'from: 2026-11-20, to: 2026-11-21, at: "02:00", repeat: { every: day }',
      ['at is not allowed here: a maintenance that repeats has from and to'],
    ],
    ['every: day, at: "02:00", for: 2h, repeat: { every: day }', ['repeat is not allowed here: a daily maintenance']],
    ['every: day, at: noon, for: 2h', ['maintenance[0].at must be a clock time from 00:00 to 23:59']],
    ['every: day, on: [mon], at: "02:00", for: 2h', ['on is not allowed here: a daily maintenance has only at and for']],
    ['every: year, at: "02:00", for: 2h', ['every must be one of day, week, month']],
    ['every: week, on: [mon, funday], at: "02:00", for: 2h', ['on[1] must be one of mon, tue, wed, thu, fri, sat, sun']],
    ['every: week, at: "02:00", for: 2h', ['maintenance[0].on is missing']],
    ['every: month, on: frist sunday, at: "02:00", for: 2h', ['last fri; did you mean first sunday?']],
    ['every: month, on: 32, at: "02:00", for: 2h', ['maintenance[0].on must be a day of the month from 1 to 31']],
    ['every: day, at: "24:00", for: 2h', ['maintenance[0].at must be a clock time from 00:00 to 23:59']],
    ['every: day, at: "02:00", for: long', ['maintenance[0].for must be a duration such as']],
    ['every: day, at: "02:00", for: 32d', ['maintenance[0].for must be at most 31d']],
    ['every: day, at: "02:00", for: 2h, timezone: Europe/Berln', ['unknown time zone Europe/Berln; nearest: Europe/Berlin']],
    ['from: 2026-11-20, to: 2026-11-21, timezone: berlin', ['unknown time zone berlin; nearest: Europe/Berlin, ']],
    ['from: 2026-11-21, to: 2026-11-20, timezone: berlin', ['unknown time zone berlin']],
    ['every: day, at: "02:00", for: 2h, timezone: UTC, on: [mon]', ['on is not allowed here']],
    ['from: 2026-11-20, to: 2026-11-21, checks: [checkuot]', ['checks[0]: there is no check with the id checkuot; did you mean checkout?']],
    ['from: 2026-11-20, to: 2026-11-21, checks: []', ['checks must be a list with at least 1']],
    ['from: 2026-11-20, to: 2026-11-21, tags: [shop, shop]', ['tags[1] is listed twice']],
  ])('in a maintenance window with %s', (entry, expected) => {
    const faults = faultsOf(maintenance(entry))
    expect(faults).toEqual(expected.map((text) => expect.stringContaining(text)))
    for (const fault of faults) expect(fault).toMatch(/^5: maintenance\[0\]/)
  })

  test.each([
    ['days: [mon], from: "08:00", to: "25:00"', 'serviceHours[0].to must be a clock time from 00:00 to 24:00'],
    ['days: [], from: "08:00", to: "20:00"', 'serviceHours[0].days must be a list with at least 1 in it'],
    ['day: [mon], days: [mon], from: "08:00", to: "20:00"', 'did you mean days?'],
    ['days: [mon], from: "08:00", to: "20:00", timezone: Mars', 'serviceHours[0].timezone: unknown time zone Mars; nearest: '],
  ])('in service hours with %s', (entry, expected) => {
    expect(faultsOf(`serviceHours:\n  - { name: office, ${entry} }`)).toEqual([expect.stringMatching(/^5: /)])
    expect(faultsOf(`serviceHours:\n  - { name: office, ${entry} }`)[0]).toContain(expected)
  })

  const latency = (more: string) => `objective: { kind: latency, target: 99, ${more} }, window: 30d`
  test.each([
    [available, ['slos[0].window is missing: it must be a duration such as 30d, or a mapping']],
    [`${available}, window: 30`, ['slos[0].window must be a duration such as 30d, or a mapping']],
    [`${available}, window: monthly`, ['slos[0].window must be a duration such as 10s']],
    [`${available}, window: 5m`, ['slos[0].window must be at least 1h and at most 366d']],
    [`${available}, window: { rolling: 400d }`, ['slos[0].window.rolling must be at least 1h']],
    [`${available}, window: { rolling: 30d, timezone: UTC }`, ['window.timezone is not allowed here: a rolling window has only a length']],
    [`${available}, window: { calendar: year }`, ['slos[0].window.calendar must be one of day, week, month']],
    [
      `${available}, window: { calendar: day, timezone: Europe/Pari }`,
      ['window.timezone: unknown time zone Europe/Pari; nearest: Europe/Paris'],
    ],
    ['objective: { kind: uptime, target: 99 }, window: 30d', ['slos[0].objective.kind must be one of availability, latency']],
    ['objective: { kind: availability, target: 100 }, window: 30d', ['target must be a percentage above 0 and below 100']],
    ['objective: { kind: availability, target: 0 }, window: 30d', ['target must be a percentage above 0 and below 100']],
    ['objective: { kind: availability, target: 99, by: clock }, window: 30d', ['objective.by must be one of runs, time']],
    [
      'objective: { kind: availability, target: 99, metric: duration, thresholdMs: 5 }, window: 30d',
      [
        'metric is not allowed here: it belongs to a latency objective',
        'thresholdMs is not allowed here: it belongs to a latency objective',
      ],
    ],
    [`${available}, window: { rolling: soon }`, ['slos[0].window.rolling must be a duration such as']],
    [
      `${available}, window: { rolling: 30d, calendar: month }`,
      ['window.calendar is not allowed here: a rolling window has only a length'],
    ],
    [`objective: 5, window: 30d`, ['slos[0].objective must be a mapping with kind, by, target']],
    ['objective: { kind: availability, target: 99, taget: 5 }, window: 30d', ['did you mean target?']],
    [latency('metric: duration'), ['slos[0].objective.thresholdMs is missing']],
    [latency('thresholdMs: 800'), ['slos[0].objective.metric is missing']],
    [latency('metric: duration, thresholdMs: 800, by: time'), ['objective.by must be runs for a latency objective']],
    [
      `${latency(`metric: ${durationMetric}x, thresholdMs: 800`)}, checks: [checkout]`,
      [`${durationMetric}x is not a metric in milliseconds of ${timed?.type} checks; nearest: ${durationMetric}`],
    ],
    [
      latency(`metric: ${durationMetric}, thresholdMs: 800`),
      [`${durationMetric} is not a metric in milliseconds of ${other?.type} checks`],
    ],
    [
      `${latency(`metric: ${durationMetric}x, thresholdMs: 800`)}, tags: [nobody]`,
      [`${durationMetric}x is not a metric in milliseconds; nearest: ${durationMetric}`],
    ],
    [
      `${available}, window: 30d, checks: [checkout, chekout]`,
      ['slos[0].checks[1]: there is no check with the id chekout; did you mean checkout?'],
    ],
    [`${available}, window: 30d, tag: [shop]`, ['did you mean tags?']],
  ])('in an SLO with %s', (entry, expected) => {
    const faults = faultsOf(slo(entry))
    expect(faults).toEqual(expected.map((text) => expect.stringContaining(text)))
    for (const fault of faults) expect(fault).toMatch(/^5: slos\[0\]/)
  })

  test('in ids and names that are not unique', () => {
    const hours = '{ name: office, days: [mon], from: "08:00", to: "20:00" }'
    const policy = `{ id: shop, ${available}, window: 30d }`
    expect(faultsOf(`serviceHours:\n  - ${hours}\n  - ${hours}\nslos:\n  - ${policy}\n  - ${policy}`)).toEqual([
      '6: serviceHours[1].name repeats the name of accounts[0].serviceHours[0].name',
      '9: slos[1].id repeats the id of accounts[0].slos[0].id',
    ])
  })

  test('in policies that are not mappings, once', () => {
    expect(faultsOf('slos: [shop]')).toEqual([expect.stringMatching(/^4: slos\[0\] must be /)])
    expect(faultsOf('maintenance: tonight')).toEqual([expect.stringMatching(/^4: maintenance must be /)])
  })

  test('but references to a faulty check are valid', () => {
    const text = JSON.stringify({
      accounts: [
        {
          id: 'acme',
          checks: [{ id: 'checkout' }],
          maintenance: [{ name: 'M', from: '2026-11-20', to: '2026-11-20', checks: ['checkout'] }],
        },
      ],
    })
    const parsed = parseConfig(text, {})
    expect('faults' in parsed && parsed.faults.every(({ text: words }) => words.includes('checks[0].'))).toBe(true)
  })
})

describe('a maintenance window applies', () => {
  const check = { id: 'checkout', tags: ['shop', 'web'] }
  test.each([
    [{ checks: [], tags: [] }, true],
    [{ checks: ['checkout', 'cart'], tags: [] }, true],
    [{ checks: ['cart'], tags: [] }, false],
    [{ checks: [], tags: ['lab', 'web'] }, true],
    [{ checks: [], tags: ['lab'] }, false],
    [{ checks: ['checkout'], tags: ['lab'] }, false],
    [{ checks: ['checkout'], tags: ['shop'] }, true],
  ])('to a check by %j: %s', (selection, expected) => {
    expect(selects(selection, check)).toBe(expected)
  })

  test('only to its checks, during its intervals in a window', () => {
    const policies = parse(
      'maintenance:\n  - { name: A, from: 2026-11-20, to: 2026-11-20, tags: [shop] }\n  - { name: B, from: 2026-11-21, to: 2026-11-21, tags: [lab] }',
    )
    const window = { from: at('2026-11-20T12:00Z'), to: at('2026-11-30T00:00Z') }
    expect(maintenanceIntervals(maintenanceOf(policies, check), window)).toEqual([{ from: window.from, to: at('2026-11-21T00:00Z') }])
  })
})
