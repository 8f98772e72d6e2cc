import { describe, expect, test } from 'vitest'
import { sampleSheet } from '../../../test/support/sla-sheet.ts'
import { readSheet, type SheetFileFormat, sheetFormats, sheetText } from './read-sheet.ts'
import { selectedThen } from './recompute.ts'
import { fingerprintOf } from './sheet.ts'
import type { Sheet, SheetCheck, SheetOutage } from './sheet-schema.ts'
import { fileLines, type Recomputed, storeLines, type VerifiedLine } from './verify.ts'

const { version } = sampleSheet
const [checkout, search] = sampleSheet.checks as [SheetCheck, SheetCheck]
const [first, second, last] = checkout.outages as [SheetOutage, SheetOutage, SheetOutage]

describe('verification of a file', () => {
  test.each(sheetFormats)('passes for an unchanged %s file, which has all data of its sheet', async (format) => {
    const read = await readSheet(sheetText(sampleSheet, format), 'october')
    expect(read).toMatchObject({ format, sheet: sampleSheet, fingerprint: fingerprintOf(sampleSheet) })
    expect(differing(fileLines(read, version))).toEqual([])
  })

  test.each<[SheetFileFormat, string, string]>([
    ['html', '99.798 %', '99.999 %'],
    ['html', '>Search<', '>Find<'],
    ['html', 'Every outage counts', 'No outage counts'],
    ['json', '"downSeconds":5400', '"downSeconds":0'],
    ['csv', '44610', '44700'],
    ['csv', 'Patch night', 'Storm'],
  ])('fails for %s in which %s became %s', async (format, from, to) => {
    const text = sheetText(sampleSheet, format)
    expect(text).toContain(from)
    const read = await readSheet(text.replace(from, to), 'october')
    expect(differing(fileLines(read, version)).length).toBeGreaterThan(0)
  })

  test('lists each figure on the page that differs from its data, also for another version', async () => {
    const read = await readSheet(sheetText(sampleSheet, 'html').replaceAll('99.798 %', '99.999 %'), 'october')
    expect(fileLines(read, '9.9.9').filter(({ matches }) => matches !== true)).toEqual([
      ...['total', 'check checkout', 'total'].map((of) => ({
        matches: false,
        subject: `shown ${of} availability by runs`,
        words: 'the page shows "99.999 %", the data say "99.798 %"',
      })),
      { matches: null, subject: 'whole file', words: expect.stringContaining('this is 9.9.9') },
    ])
  })

  test.each(sheetFormats)('lists each part of a valid %s file', async (format) => {
    const read = await readSheet(sheetText(sampleSheet, format), 'october')
    const cells = format === 'html' ? [['shown figures', expect.stringMatching(/^all \d+ on the page are those of the data$/)]] : []
    expect(fileLines(read, version).map(({ subject, words }) => [subject, words])).toEqual([
      ['fingerprint', `is that of the data: ${fingerprintOf(sampleSheet)}`],
      ['total', 'is the sum of the checks'],
      ...cells,
      ['whole file', 'is as Tidemark writes it'],
    ])
  })

  test('states for each part what is wrong', async () => {
    const text = sheetText(sampleSheet, 'json').replace('"downSeconds":5400', '"downSeconds":0')
    const read = await readSheet(text, 'october')
    expect(fileLines(read, version).map(({ matches, subject, words }) => [matches, subject, words])).toEqual([
      [false, 'fingerprint', `says ${fingerprintOf(sampleSheet)}, the data have ${fingerprintOf(read.sheet)}`],
      [false, 'total', 'is not the sum of the checks'],
      [false, 'whole file', 'was changed at line 1'],
    ])
    const page = sheetText(sampleSheet, 'html')
    const changed = async (other: string) => wordsOf(fileLines(await readSheet(other, 'october'), version), 'whole file')
    expect(await changed(page.replace('Availability sheet</p>', 'Sheet</p>'))).toBe(
      `was changed at line ${page.split('\n').findIndex((one) => one.includes('Availability sheet</p>')) + 1}`,
    )
    expect(await changed(`${page}\n`)).toBe(`was changed at line ${page.split('\n').length + 1}`)
    expect(await changed(`<!-- -->${page}`)).toBe('was changed at line 1')
  })

  test('reports a figure that is missing from the page', async () => {
    const row = /<tr><th scope="row">Search.*<\/tr>\n/.exec(sheetText(sampleSheet, 'html'))?.[0] ?? ''
    const read = await readSheet(sheetText(sampleSheet, 'html').replace(row, ''), 'october')
    const lines = fileLines(read, version)
    expect(differing(lines)).toContain('shown check search availability by time')
    expect(wordsOf(lines, 'shown check search availability by time')).toBe('is not on the page; the data say "no data"')
  })

  test('reports a figure on the page that the data do not have', async () => {
    const text = sheetText(sampleSheet, 'html').replaceAll('data-cell="total down"', 'data-cell="total good"')
    const lines = fileLines(await readSheet(text, 'october'), version)
    expect(wordsOf(lines, 'shown total good')).toBe('the page shows "1 h 30 min", the data say "nothing"')
    expect(wordsOf(lines, 'shown total down')).toBe('is not on the page; the data say "1 h 30 min"')
  })

  test.each(sheetFormats)('supports any window and policy in %s', async (format) => {
    const [maintenance] = sampleSheet.maintenance
    const other = {
      ...sampleSheet,
      selection: { tags: ['a b', '50%'], checks: ['checkout', 'search'] },
      window: { ...sampleSheet.window, month: null, partial: true },
      policy: { quorum: 'majority', degraded: 'down', maintenance: 'include', minOutageSeconds: 90, serviceHours: 'office hours' },
      maintenance: [{ ...maintenance, checkIds: ['checkout', 'search'] }, maintenance],
    } as Sheet
    expect(await readSheet(sheetText(other, format), 'october')).toMatchObject({ sheet: other, fingerprint: fingerprintOf(other) })
  })

  test('detects data that were changed together with their fingerprint', async () => {
    const forged = { ...sampleSheet, total: { ...sampleSheet.total, outages: 0 } }
    const read = await readSheet(sheetText(forged, 'html'), 'october')
    expect(differing(fileLines(read, version))).toEqual(['total'])
  })

  test.each(['', '<p>Hello</p>', '{"sheet":{}}', 'a,b\n1,2\n', '"'])('rejects %j', async (text) => {
    await expect(readSheet(text, 'notes.html')).rejects.toThrow('notes.html is not a sheet of tidemark sla')
  })
})

describe('verification against the store', () => {
  test('passes for a sheet whose data are unchanged', () => {
    const lines = storeLines(sampleSheet, storeOf({}))
    expect(differing(lines)).toEqual([])
    expect(lines.map(({ subject }) => subject)).toEqual([
      'checks',
      ...['name', 'results', 'by runs', 'by time', 'outages'].map((part) => `checkout ${part}`),
      ...checkout.outages.map(({ from }) => `checkout outage ${from}`),
      ...['name', 'results', 'by runs', 'by time', 'outages'].map((part) => `search ${part}`),
      ...['total by runs', 'total by time', 'maintenance'],
    ])
  })

  test('lists each statement in the wording of the sheet', () => {
    const words = storeLines(sampleSheet, storeOf({})).map((line) => line.words)
    expect(words).toEqual([
      '2 checks, as selected',
      checkout.name,
      `44,700 results, SHA-256 ${checkout.evidence.sha256}`,
      `availability ${checkout.byRuns.availability}`,
      `availability ${checkout.byTime.availability}`,
      '3',
      ...checkout.outages.map(({ reason }) => reason ?? 'no reason recorded'),
      'Search',
      `0 results, SHA-256 ${search.evidence.sha256}`,
      ...['availability without data', 'availability without data', '0', `availability ${sampleSheet.total.byRuns.availability}`],
      `availability ${sampleSheet.total.byTime.availability}`,
      '1 window',
    ])
  })

  test('lists both values of a difference', () => {
    const other = {
      ...checkout,
      ...{ name: 'Paid', byTime: { ...checkout.byTime, upSeconds: 1, downSeconds: 2 }, outages: [first] },
      evidence: { ...checkout.evidence, results: 1, sha256: '00' },
    }
    const renamed = { ...search, checkType: 'ANOTHER' }
    const maintenance = [{ ...sampleSheet.maintenance[0], name: 'Storm' }] as Sheet['maintenance']
    const lines = storeLines(
      sampleSheet,
      storeOf({
        selected: ['checkout'],
        checks: new Map([
          ['checkout', other],
          ['search', renamed],
        ]),
        maintenance,
      }),
    )
    const said = lines.filter(({ matches }) => matches === false).map(({ subject, words }) => `${subject}: ${words}`)
    expect(said).toEqual([
      'checks: search is no longer selected',
      `checkout name: sheet: ${checkout.name}; store: Paid`,
      `checkout results: sheet: 44,700 results, SHA-256 ${checkout.evidence.sha256}; store: 1 result, SHA-256 00`,
      'checkout by time: upSeconds 2660699.999 on the sheet, 1 in the store; downSeconds 5400 on the sheet, 2 in the store',
      'checkout outages: 3 on the sheet, 1 in the store',
      `checkout outage ${second.from}: is not in the store`,
      `checkout outage ${last.from}: is not in the store`,
      'search name: sheet: Search; store: Search',
      expect.stringMatching(/^total by time: availability \S+ on the sheet, \S+ in the store; upSeconds /),
      `maintenance: only on the sheet: ${JSON.stringify(sampleSheet.maintenance[0])}; only in the store: ${JSON.stringify(maintenance[0])}`,
    ])
  })

  test('ignores the order and the type of values', () => {
    const [night] = sampleSheet.maintenance
    const storm = { ...night, name: 'Storm' }
    const two = { ...sampleSheet, maintenance: [night, storm] } as Sheet
    expect(wordsOf(storeLines(two, storeOf({ maintenance: [storm, night] as Sheet['maintenance'] })), 'maintenance')).toBe(
      'in another order',
    )
    const elsewhere = { ...first, locations: ['us-east-1'], maintenance: false, reason: null }
    const lines = storeLines(sampleSheet, storeOf(withOutages([elsewhere, second, last])))
    expect(wordsOf(lines, `checkout outage ${first.from}`)).toBe(
      [
        'locations ["eu-west-1"] on the sheet, ["us-east-1"] in the store',
        `reason ${first.reason} on the sheet, null in the store`,
        'maintenance true on the sheet, false in the store',
      ].join('; '),
    )
    const added = storeLines(
      sampleSheet,
      storeOf(withOutages([first, { ...second, from: '2026-10-30T00:00:00.000Z', reason: null }, last])),
    )
    expect(wordsOf(added, 'checkout outage 2026-10-30T00:00:00.000Z')).toBe('is not on the sheet: no reason recorded')
  })

  test('detects changed results, figures and totals', () => {
    const changed = { ...checkout, byRuns: { ...checkout.byRuns, success: 44609 }, evidence: { ...checkout.evidence, sha256: '00' } }
    const lines = storeLines(sampleSheet, storeOf({ checks: new Map([['checkout', changed]]) }))
    expect(differing(lines)).toEqual(['checkout results', 'checkout by runs', 'search', 'total by runs', 'total by time'])
    expect(wordsOf(lines, 'checkout by runs')).toBe('success 44610 on the sheet, 44609 in the store')
    expect(wordsOf(lines, 'search')).toBe('there is no such check any more')
  })

  test('detects an outage that is new, missing or has another reason', () => {
    const added = { ...second, from: '2026-10-30T00:00:00.000Z' }
    const lines = storeLines(sampleSheet, storeOf(withOutages([{ ...first, reason: 'else' }, added, last])))
    expect(differing(lines)).toEqual([`checkout outage ${first.from}`, `checkout outage ${second.from}`, `checkout outage ${added.from}`])
    expect(wordsOf(lines, `checkout outage ${first.from}`)).toBe(`reason ${first.reason} on the sheet, else in the store`)
  })

  test('accepts the end of an outage after the window, but not within it', () => {
    const ended = (to: string) => storeLines(sampleSheet, storeOf(withOutages([first, second, { ...last, to, reason: 'x', seconds: 1 }])))
    expect(differing(ended('2026-11-01T07:00:00.000Z'))).toEqual([])
    expect(differing(ended('2026-10-31T22:55:00.000Z'))).toEqual([`checkout outage ${last.from}`])
  })

  test('detects a check that is missing from the sheet', () => {
    const lines = storeLines(sampleSheet, storeOf({ selected: ['checkout', 'search', 'pay'] }))
    expect(wordsOf(lines, 'checks')).toBe('pay is selected, but is not on the sheet')
  })

  test('ignores checks that are newer than the sheet, unless it has them', () => {
    const listed = (id: string, created_at: string) => ({ id, name: id, checkType: '', tags: ['shop'], created_at })
    const [before, after] = ['2026-01-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z']
    const checks = [listed('checkout', before), listed('search', after), listed('pay', before), listed('new', after)]
    expect(selectedThen([...checks, { ...listed('blog', before), tags: [] }], sampleSheet)).toEqual(['checkout', 'search', 'pay'])
  })

  test('detects a maintenance window that was added or removed later', () => {
    const lines = storeLines(sampleSheet, storeOf({ maintenance: [] }))
    expect(differing(lines)).toEqual(['maintenance'])
  })

  test('reports an error of the server', () => {
    const checks = new Map([...storeOf({}).checks, ['checkout', { problem: 'The server returned 400: no such hours.' }]] as const)
    expect(wordsOf(storeLines(sampleSheet, storeOf({ checks })), 'checkout')).toContain('no such hours')
  })
})

function storeOf(more: Partial<Recomputed>): Recomputed {
  const { checks, maintenance } = sampleSheet as Sheet
  return { selected: checks.map(({ id }) => id), checks: new Map(checks.map((check) => [check.id, check])), maintenance, ...more }
}

function withOutages(outages: readonly SheetOutage[]): Partial<Recomputed> {
  return {
    checks: new Map([
      ['checkout', { ...checkout, outages }],
      ['search', search],
    ]),
  }
}

function differing(lines: readonly VerifiedLine[]): readonly string[] {
  return lines.filter(({ matches }) => matches === false).map(({ subject }) => subject)
}

function wordsOf(lines: readonly VerifiedLine[], subject: string): string | undefined {
  return lines.find((line) => line.subject === subject)?.words
}
