import { expect, test } from 'vitest'
import { sampleSheet } from '../../../test/support/sla-sheet.ts'
import { sheetCells } from './cells.ts'
import { sheetCsv } from './csv.ts'
import { sheetHtml } from './html.ts'
import { policyWords } from './wording.ts'

const page = sheetHtml(sampleSheet)

test('the page has no script, loads nothing, and escapes foreign markup', () => {
  expect(page).not.toMatch(/<script|javascript:|\son[a-z]+=|<link|<img|<iframe|@import|url\(|src=|href=/i)
  expect(page).toContain("default-src 'none'")
  expect(page).not.toContain('<live>')
  expect(page).not.toContain('<503>')
})

test('the page and the table match test/golden', async () => {
  const table = sheetCsv(sampleSheet)
  const lines = (text: string) => text.replaceAll('\r\n', '\n')
  await expect(lines(page.replace(/<style>.*<\/style>/s, '<style></style>'))).toMatchFileSnapshot('../../../test/golden/sla.html')
  await expect(lines(table)).toMatchFileSnapshot('../../../test/golden/sla.csv')
  expect(table.match(/[^\r]\n/)).toBeNull()
})

test('a page without outages and maintenance says so', () => {
  const checks = sampleSheet.checks.map((check) => ({ ...check, outages: [] }))
  const calm = sheetHtml({ ...sampleSheet, checks, maintenance: [] })
  expect(calm).toContain('<p>Without any outage in the period: Checkout &#60;live&#62; &#38; &#34;paid&#34;, Search.</p>')
  expect(calm).toContain('<p>No maintenance of these checks touched the period.</p>')
  expect(calm).toContain('<section>\n<h2>Maintenance</h2>')
  expect(sheetHtml({ ...sampleSheet, checks: sampleSheet.checks.slice(0, 1) })).not.toContain('Without any outage')
})

test('the page shows figures, outages, maintenance, hashes and how to reproduce them', () => {
  for (const shown of [
    'shop, October 2026',
    '>99.797 %<',
    '>no data<',
    '>2026-10-25 02:10:00 +02:00<',
    '>not ended<',
    'expected 200, got &#60;503&#62;',
    'Partly or wholly in maintenance.',
    '>Patch night<',
    sampleSheet.checks[0]?.evidence.sha256,
    'tidemark export --check ID --from 2026-09-30T22:00:00.000Z --to 2026-10-31T22:59:59.999Z --format ndjson | sha256sum',
    'time zone Europe/Berlin',
    'Without any outage in the period: Search.',
  ])
    expect(page).toContain(shown)
})

test('an open outage is shown with its length so far, and maintenance of all checks as such', () => {
  const texts = (sheet: typeof sampleSheet) => sheetCells(sheet).map(({ text }) => text)
  const [maintenance] = sampleSheet.maintenance
  const ofAll = {
    ...sampleSheet,
    maintenance: [{ ...maintenance, checkIds: sampleSheet.checks.map(({ id }) => id) }],
  } as typeof sampleSheet
  expect(texts(sampleSheet).filter((text) => text.endsWith(' so far'))).toHaveLength(1)
  expect(texts(sampleSheet)).not.toContain('all on this sheet')
  expect(texts(ofAll)).toContain('all on this sheet')
})

test('each check with outages has a section for them', () => {
  expect([...page.matchAll(/<section class="outages">\n<h2>(.*)<\/h2>/g)].map(([, title]) => title)).toEqual([
    'Outages of Checkout &#60;live&#62; &#38; &#34;paid&#34;',
  ])
})

test('each setting of the policy is described', () => {
  const words = (more: object) =>
    policyWords({ ...sampleSheet.policy, ...more })
      .map(([, text]) => text)
      .join(' ')
  expect(words({ quorum: 'majority' })).toContain('more than half')
  expect(words({ quorum: '3' })).toContain('at least 3 of its locations')
  expect(words({ degraded: 'down' })).toContain('degraded counts as down')
  expect(words({ maintenance: 'include' })).toContain('maintenance counts like any other')
  expect(words({ minOutageSeconds: 300 })).toContain('shorter than 5 min')
  expect(words({ serviceHours: 'office' })).toContain('“office”')
})
