import { afterAll, beforeEach, expect, test } from 'vitest'
import { dayMs, hourMs } from '../../time.ts'
import { endsOf, presets, queryText, readWindow, windowChanges, windowFault, windowOf, windowParameters } from './window.ts'
import { showZone } from './zone.ts'

const readBack = (changes: Record<string, string | null>) => {
  const said = Object.entries(changes).filter((pair): pair is [string, string] => pair[1] !== null)
  return windowOf({ query: new URLSearchParams(said) })
}

test('a window is read back from its own URL', () => {
  const window = { from: Date.parse('2026-11-01T10:00:00.000Z'), to: Date.parse('2026-11-02T10:00:00.123Z') }
  expect(readBack(windowChanges(window))).toEqual(window)
  for (const preset of Object.keys(presets) as (keyof typeof presets)[]) expect(readBack(windowChanges({ preset }))).toEqual({ preset })
})

const berlin = 'Europe/Berlin'
const now = Date.parse('2026-11-14T10:00:00Z')
const read = (query: string) => readWindow(new URLSearchParams(query), now)
const instant = (text: string) => Date.parse(text)

beforeEach(() => showZone('UTC'))
afterAll(() => showZone(null))

test('a date is a whole day of the reader, and a window without an end ends now', () => {
  showZone(berlin)
  expect(read('from=2026-11-10&to=2026-11-11').window).toEqual({
    from: instant('2026-11-09T23:00:00Z'),
    to: instant('2026-11-11T22:59:59.999Z'),
  })
  expect(read('from=2026-11-10').window).toEqual({ from: instant('2026-11-09T23:00:00Z'), to: null })
  expect(endsOf(read('from=2026-11-10').window, now).to).toBe(now)
})

test.each([
  ['quickRange=toString', 'quickRange=toString'],
  ['quickRange=lastYear', 'quickRange=lastYear'],
  ['from=yesterday&to=2026-11-11', 'from=yesterday'],
  ['from=2026-11-10&to=2026-02-30', 'to=2026-02-30'],
  ['from=2026-11-12&to=2026-11-11', 'from=2026-11-12 to=2026-11-11'],
  ['from=2027-01-01', 'from=2027-01-01'],
])('a URL with %s selects the last 24 hours, and reports the fault', (query, fault) => {
  expect(read(query)).toEqual({ window: { preset: 'last24Hours' }, fault })
  expect(windowFault(new URLSearchParams(query))).toContain(fault)
})

test('a window of a single instant is valid', () => {
  const at = '2026-11-10T08:00:00Z'
  expect(read(`from=${at}&to=${at}`)).toEqual({ window: { from: instant(at), to: instant(at) }, fault: null })
})

test('an unknown zone is reported', () => {
  expect(windowFault(new URLSearchParams('timezone=Mars/Phobos'))).toContain('Mars/Phobos')
  expect(windowFault(new URLSearchParams('timezone=Asia/Kolkata&from=2026-11-10'))).toBeNull()
})

test('calendar windows are in the zone of the reader, for the API and in links', () => {
  showZone(berlin)
  expect(endsOf({ preset: 'lastMonth' }, now)).toEqual({ from: instant('2026-09-30T22:00:00Z'), to: instant('2026-10-31T22:59:59.999Z') })
  expect(windowParameters({ preset: 'lastMonth' })).toEqual([
    ['quickRange', 'lastMonth'],
    ['timezone', berlin],
  ])
  expect(windowChanges({ preset: 'lastMonth' })).toMatchObject({ quickRange: 'lastMonth', timezone: berlin })
  expect(windowChanges({ preset: 'last7Days' })).toMatchObject({ quickRange: 'last7Days', timezone: null })
})

test('a rolling window without a name in the API ends now', () => {
  expect(endsOf({ preset: 'last1Hour' }, now)).toEqual({ from: now - hourMs, to: now })
  expect(endsOf({ preset: 'last6Hours' }, now)).toEqual({ from: now - 6 * hourMs, to: now })
  expect(endsOf({ preset: 'last90Days' }, now)).toEqual({ from: now - 90 * dayMs, to: now })
})

test('a window is requested from the API by name if it has one, otherwise by its two ends', () => {
  expect(windowParameters({ preset: 'lastWeek' })).toEqual([['quickRange', 'lastWeek']])
  expect(windowParameters({ preset: 'last1Hour' }).map(([name]) => name)).toEqual(['from', 'to'])
})

test('a plus in the name of a zone is not read as a space', () => {
  const query = queryText([
    ['quickRange', 'thisWeek'],
    ['timezone', 'Etc/GMT+3'],
  ])
  expect(query).toBe('quickRange=thisWeek&timezone=Etc/GMT%2B3')
  expect(new URLSearchParams(query).get('timezone')).toBe('Etc/GMT+3')
})

test('windows have their names from the list', () => {
  expect(presets).toEqual({
    last1Hour: 'Last hour',
    last6Hours: 'Last 6 hours',
    last24Hours: 'Last 24 hours',
    last7Days: 'Last 7 days',
    last30Days: 'Last 30 days',
    last90Days: 'Last 90 days',
    thisWeek: 'This week',
    lastWeek: 'Last week',
    thisMonth: 'This month',
    lastMonth: 'Last month',
  })
})

test.each([
  ['thisWeek', '2026-11-09T00:00:00Z', '2026-11-14T10:00:00Z'],
  ['lastWeek', '2026-11-02T00:00:00Z', '2026-11-08T23:59:59.999Z'],
  ['thisMonth', '2026-11-01T00:00:00Z', '2026-11-14T10:00:00Z'],
  ['lastMonth', '2026-10-01T00:00:00Z', '2026-10-31T23:59:59.999Z'],
] as const)('%s goes from %s to %s', (preset, from, to) => {
  expect(endsOf({ preset }, now)).toEqual({ from: instant(from), to: instant(to) })
})

test('the URL of a window has nothing of the last one, and the default window has no parameters', () => {
  const none = { quickRange: null, from: null, to: null, timezone: null, page: null }
  expect(windowChanges({ preset: 'last24Hours' })).toEqual(none)
  expect(windowChanges({ preset: 'last7Days' })).toEqual({ ...none, quickRange: 'last7Days' })
  expect(windowChanges({ from: 0, to: null })).toEqual({ ...none, from: '1970-01-01T00:00:00.000Z' })
})

test('a window that begins in the future ends where it begins', () => {
  expect(endsOf({ from: now + 1, to: null }, now)).toEqual({ from: now + 1, to: now + 1 })
})
