import { expect, test } from 'vitest'
import { sampleSheet } from '../../../test/support/sla-sheet.ts'
import { sheetCells } from './cells.ts'
import { sheetCsv } from './csv.ts'
import { readSheetCsv } from './read-csv.ts'
import { fingerprintOf } from './sheet.ts'
import { outageCount, policyWords, recipe, selectionText, titleText, zoneWords } from './wording.ts'

const { window, policy } = sampleSheet

test.each([
  [[], [], 'acme', 'all checks of the account'],
  [['shop'], [], 'shop', 'the checks tagged shop'],
  [['shop', 'api'], ['a'], 'shop, api', 'the checks tagged shop or api and with the id a'],
  [[], ['a'], 'a', 'the checks with the id a'],
  [[], ['a', 'b'], 'a, b', 'the checks with the ids a, b'],
])('a sheet for the tags %j and checks %j', (tags, checks, subject, text) => {
  expect(titleText({ ...sampleSheet, selection: { tags, checks } })).toBe(`${subject}, October 2026`)
  expect(selectionText({ tags, checks })).toBe(text)
})

test.each([
  ['Quorum', { quorum: '1' }, 'A check is down while at least one of its locations is down.'],
  ['Quorum', { quorum: '2' }, 'A check is down while at least 2 of its locations are down.'],
  ['Quorum', { quorum: 'majority' }, 'A check is down while more than half of its known locations are down.'],
  ['Degraded', { degraded: 'up' }, 'Time in which a check is degraded counts as available.'],
  ['Degraded', { degraded: 'down' }, 'Time in which a check is degraded counts as down.'],
  ['Maintenance', { maintenance: 'include' }, 'Time in maintenance counts like any other time, by the state of the check.'],
  [
    'Maintenance',
    { maintenance: 'exclude' },
    'Time in announced maintenance is in neither part of the availability by time. Runs in it do count in the availability by runs.',
  ],
  ['Short outages', { minOutageSeconds: 0 }, 'Every outage counts, however short.'],
  ['Short outages', { minOutageSeconds: 90 }, 'An outage shorter than 1 min 30 s counts as available time and is not listed.'],
  ['Service hours', { serviceHours: null }, 'All hours of all days count.'],
  [
    'Service hours',
    { serviceHours: 'office' },
    'Only time within the service hours “office” counts by time. Runs and outages outside of them are still counted and listed.',
  ],
])('%s %j', (subject, more, words) => {
  const all = policyWords({ ...policy, ...more })
  expect(all.map(([name]) => name)).toEqual(['Quorum', 'Degraded', 'Maintenance', 'Short outages', 'Service hours'])
  expect(new Map(all).get(subject)).toBe(words)
})

test('the zone, the recipe and the count of outages', () => {
  const zone = 'The period and all local times are in the time zone Europe/Berlin.'
  expect(zoneWords(window)).toBe(zone)
  expect(zoneWords({ ...window, partial: true })).toBe(
    `${zone} The period had not ended when this sheet was made: it is cut at ${window.to}.`,
  )
  expect(recipe(window)).toBe(`tidemark export --check ID --from ${window.from} --to ${window.to} --format ndjson | sha256sum`)
  expect([0, 1, 2].map(outageCount)).toEqual(['no outages', '1 outage', '2 outages'])
})

test('every figure has a cell', () => {
  const cells = new Map(sheetCells(sampleSheet).map(({ key, text }) => [key, text]))
  const of = (prefix: string) =>
    Object.fromEntries([...cells].flatMap(([key, text]) => (key.startsWith(prefix) ? [[key.slice(prefix.length), text]] : [])))
  expect(of('check search ')).toEqual({
    'availability by time': 'no data',
    'availability by runs': 'no data',
    results: '0',
    failed: '0',
    up: '0 s',
    down: '0 s',
    degraded: '0 s',
    maintenance: '0 s',
    unknown: '745 h',
    outages: '0',
    sha256: sampleSheet.checks[1]?.evidence.sha256,
    exported: '0 results, 0 bytes',
  })
  expect(of('check checkout outage 1 ')).toEqual({
    from: '2026-10-04 02:30:00 +02:00',
    to: '2026-10-04 03:15:00 +02:00',
    lasted: '45 min',
    locations: 'eu-west-1',
    reason: 'connect ECONNREFUSED 203.0.113.7:443',
    maintenance: 'Partly or wholly in maintenance.',
    results: '0193a1c2-0000-7000-8000-000000000001 … 0193a1c2-0000-7000-8000-000000000009',
  })
  expect(of('check checkout outage 3 ')).toEqual({
    from: '2026-10-31 23:50:00 +01:00',
    to: 'not ended',
    lasted: '7 h 10 min so far',
    locations: 'eu-west-1',
    reason: 'no reason recorded',
    results: '0193a1c2-0000-7000-8000-000000000001',
  })
  expect(of('maintenance 1 ')).toEqual({
    name: 'Patch night',
    from: '2026-10-04 02:00:00 +02:00',
    to: '2026-10-04 04:00:00 +02:00',
    lasts: '2 h',
    checks: 'checkout',
  })
  expect(of('check checkout ')).toMatchObject({
    results: '44,700',
    failed: '90',
    outages: '3',
    exported: '44,700 results, 9,876,543 bytes',
  })
  const ofAll = { ...sampleSheet, maintenance: sampleSheet.maintenance.map((one) => ({ ...one, checkIds: ['checkout', 'search'] })) }
  expect(sheetCells(ofAll).at(-1)).toEqual({ key: 'maintenance 1 checks', text: 'all on this sheet' })
})

test('a table is read back as its sheet', async () => {
  const others = { window: { ...window, month: null, partial: true }, policy: { ...policy, serviceHours: 'office', minOutageSeconds: 60 } }
  const selection = { tags: ['a b', '100%'], checks: ['x'] }
  for (const sheet of [sampleSheet, { ...sampleSheet, ...others, selection }])
    expect(await readSheetCsv(sheetCsv(sheet))).toEqual({ sheet, fingerprint: fingerprintOf(sheet) })
})

test('an invalid table is rejected', async () => {
  const csv = sheetCsv(sampleSheet)
  const lines = csv.split('\r\n').length > 2 ? csv.split('\r\n') : csv.split('\n')
  const without = (record: string) => lines.filter((text) => !text.startsWith(`${record},`)).join('\r\n')
  for (const text of ['', 'a,b\r\n', '"', without('sheet'), without('total'), csv.replaceAll(sampleSheet.format, 'other')])
    expect(await readSheetCsv(text)).toBeUndefined()
})
