import { escapeMarkup } from '../../text/escape-markup.ts'
import { cell, type SheetCell, type Show, sheetCells } from './cells.ts'
import { pluralOf, sheetTime } from './figures.ts'
import { availabilityTable, evidenceHtml, maintenanceTable, outagesTable, timeTable, totalsList } from './html-tables.ts'
import { fingerprintOf, sealedText } from './sheet.ts'
import type { Sheet, SheetCheck } from './sheet-schema.ts'
import { style } from './style.ts'
import { evidenceWords, method, outageCount, policyWords, recipe, selectionText, titleText, zoneWords } from './wording.ts'

/** The element that holds the sheet's data in the page. */
export const dataTag = { open: '<pre id="tidemark-sla">', close: '</pre>' } as const

/** A page that prints on A4, with the figures, the method, and the data to verify them. */
export function sheetHtml(sheet: Sheet): string {
  const text = escapeMarkup
  const cells = new Map(sheetCells(sheet).map((one) => [one.key, one]))
  const show = (key: string, tag?: string, className?: string) => cell(cells.get(key) as SheetCell, tag, className)
  const down = sheet.checks.filter(({ outages }) => outages.length > 0)
  return `${[
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${text(`Availability: ${titleText(sheet)}`)}</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    ...head(sheet),
    '<main>',
    totalsList(show),
    '<h2>Availability of each check</h2>',
    availabilityTable(sheet, show),
    ...noOutages(sheet),
    '<h2>Time in each state</h2>',
    timeTable(sheet, show),
    '<h2>Policy</h2>',
    wordList([...policyWords(sheet.policy), ['Period', zoneWords(sheet.window)]]),
    ...down.flatMap((check) => outages(check, show)),
    `<section${down.length > 0 ? ' class="after-outages"' : ''}>`,
    '<h2>Maintenance</h2>',
    maintenanceTable(sheet, show),
    '<h2>Method</h2>',
    wordList(method),
    '</section>',
    '<section>',
    '<h2>Evidence</h2>',
    `<p>${text(evidenceWords)}</p>`,
    `<pre><code>${text(recipe(sheet.window))}</code></pre>`,
    evidenceHtml(sheet, show),
    '</section>',
    ...closing(sheet),
    '</main>',
    '<details>',
    '<summary>Data of this sheet</summary>',
    `${dataTag.open}${text(sealedText(sheet))}${dataTag.close}`,
    '</details>',
    '</body>',
    '</html>',
  ].join('\n')}\n`
}

function head(sheet: Sheet): readonly string[] {
  const { account, selection, checks, window, generatedAt } = sheet
  const ends = `${sheetTime(window.from, window.timezone)} to ${sheetTime(window.to, window.timezone)}, time zone ${window.timezone}`
  const about = `${pluralOf(checks.length, 'check')} of the account ${account}: ${selectionText(selection)}.`
  return [
    '<header>',
    '<p class="kind">Availability sheet</p>',
    `<h1>${escapeMarkup(titleText(sheet))}</h1>`,
    `<p class="lead">${escapeMarkup(about)}</p>`,
    `<p class="meta">${escapeMarkup(ends)}<br>Made ${escapeMarkup(sheetTime(generatedAt, window.timezone))}</p>`,
    '</header>',
  ]
}

function noOutages({ checks }: Sheet): readonly string[] {
  const without = checks.filter(({ outages }) => outages.length === 0).map(({ name }) => name)
  if (without.length === 0) return []
  return [`<p>${escapeMarkup(`Without any outage in the period: ${without.join(', ')}.`)}</p>`]
}

function outages(check: SheetCheck, show: Show): readonly string[] {
  return [
    '<section class="outages">',
    `<h2>${escapeMarkup(`Outages of ${check.name}`)}</h2>`,
    `<p>${escapeMarkup(`${outageCount(check.outages.length)} of the check ${check.id}, oldest first.`)}</p>`,
    outagesTable(check, show),
    '</section>',
  ]
}

function closing(sheet: Sheet): readonly string[] {
  const made = `Made at ${sheet.generatedAt} by Tidemark ${sheet.version}, format ${sheet.format}.`
  return [
    '<section class="closing">',
    '<h2>This sheet</h2>',
    `<p>${escapeMarkup(made)} Its fingerprint, the SHA-256 of its data as compact JSON, is</p>`,
    `<p class="hash">${fingerprintOf(sheet)}</p>`,
    '<p>“tidemark sla verify” with this file recomputes everything on it from the stored results and says line by line what still holds.</p>',
    '<div class="signatures"><div>Place, date</div><div>Name, signature</div></div>',
    '</section>',
  ]
}

function wordList(entries: readonly (readonly [string, string])[]): string {
  const items = entries.map(([term, words]) => `<dt>${escapeMarkup(term)}</dt><dd>${escapeMarkup(words)}</dd>`)
  return `<dl class="words">\n${items.join('\n')}\n</dl>`
}
