import { afterEach, expect, test } from 'vitest'
import { parseEdge, type QuickRange } from '../../src/analytics/resolve-window.ts'
import { chooseWindow } from '../../src/analytics/window.ts'
import { startAfter, startOf } from '../../src/calendar/calendar.ts'
import { dateEnd, dateStart } from '../../src/calendar/presets.ts'
import { dayMs, hourMs } from '../../src/time.ts'
import { endsOf, readWindow } from '../../src/web/state/window.ts'
import { showZone } from '../../src/web/state/zone.ts'
import { instantOfWallTime, localNext, localStart, startOfLocalDate, wallTime } from '../../src/web/state/zone-calendar.ts'

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Africa/Cairo',
  'America/Sao_Paulo',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'Pacific/Apia',
  'Pacific/Kiritimati',
]
const years = [Date.UTC(2006, 0, 1), Date.UTC(2011, 11, 20), Date.UTC(2026, 0, 1)]
/** Each hour around the clock changes of these years, and some hours of every week. */
const instants = years.flatMap((year) => [
  ...Array.from({ length: 60 }, (_, week) => year + week * 146 * hourMs + week * 61_000),
  ...Array.from({ length: 72 }, (_, hour) => year + hour * hourMs),
])

test.each(zones)('days, weeks and months of %s match those of the server', (zone) => {
  for (const unit of ['day', 'week', 'month'] as const) {
    for (const at of instants) {
      const [start, next] = [localStart(unit, at, zone), localNext(unit, at, zone)]
      expect([new Date(at).toISOString(), unit, start, next]).toEqual([
        new Date(at).toISOString(),
        unit,
        startOf(unit, at, { name: zone }),
        startAfter(unit, at, { name: zone }),
      ])
    }
  }
})

test.each(zones)('each date of a year starts in %s as on the server, also if clocks skip midnight', (zone) => {
  for (let day = Date.UTC(2026, 0, 1); day < Date.UTC(2027, 0, 1); day += dayMs) {
    const text = new Date(day).toISOString().slice(0, 10)
    expect(startOfLocalDate(day, zone)).toBe(dateStart(text, { name: zone }))
    expect(startOfLocalDate(day + dayMs, zone) - 1).toBe(dateEnd(text, { name: zone }))
  }
})

test('a local time converts to the first of two instants, and to one as much later if it was skipped', () => {
  const berlin = 'Europe/Berlin'
  const at = Date.parse('2026-11-14T10:30:00Z')
  expect(new Date(wallTime(at, berlin)).toISOString()).toBe('2026-11-14T11:30:00.000Z')
  expect(instantOfWallTime(wallTime(at, berlin), berlin)).toBe(at)
  expect(new Date(instantOfWallTime(Date.parse('2026-10-25T02:30:00Z'), berlin)).toISOString()).toBe('2026-10-25T00:30:00.000Z')
  expect(new Date(instantOfWallTime(Date.parse('2026-03-29T02:30:00Z'), berlin)).toISOString()).toBe('2026-03-29T01:30:00.000Z')
})

const now = Date.parse('2026-11-14T10:00:00Z')

afterEach(() => showZone(null))

test('a window in a URL has the same meaning as in the API', () => {
  const written = ['2026-11-10', '2026-11-11', '1762732800', '1762732800000', '2026-11-10T08:00:00Z', '2026-11-10T08:00:00 02:00']
  const queries = written.flatMap((one) => [`from=${one}`, `to=${one}`, ...written.map((other) => `from=${one}&to=${other}`)])
  for (const zone of ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata']) {
    showZone(zone)
    for (const query of [...queries, 'quickRange=last24Hours', 'quickRange=thisWeek', 'quickRange=lastMonth']) {
      const { window, fault } = readWindow(new URLSearchParams(query), now)
      expect([zone, query, fault === null ? endsOf(window, now) : 'fault']).toEqual([zone, query, asked(query, zone)])
    }
  }
})

/** The API's window for a query. */
function asked(query: string, zone: string) {
  const parameters = new URLSearchParams(query)
  const edge = (name: string) => (parameters.has(name) ? (parseEdge(parameters.get(name) ?? '') ?? null) : null)
  const quickRange = (parameters.get('quickRange') ?? 'last24Hours') as QuickRange
  try {
    return chooseWindow({ quickRange, from: edge('from'), to: edge('to'), timezone: { name: zone } }, now)
  } catch {
    return 'fault'
  }
}
