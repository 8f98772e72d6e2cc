import { escapeMarkup } from '../../text/escape-markup.ts'
import { durationInWords, percentText, sheetTime, wholeNumber } from './figures.ts'
import type { Sheet, SheetCheck, SheetMaintenance, SheetOutage, SheetTotal } from './sheet-schema.ts'

/** A figure of the page. The key identifies the figure, so that it can be found in the file again. */
export type SheetCell = { readonly key: string; readonly text: string }

/** Renders the cell with this key as an element. */
export type Show = (key: string, tag?: string, className?: string) => string

export function sheetCells(sheet: Sheet): readonly SheetCell[] {
  const { timezone } = sheet.window
  return [
    ...figureCells('total', sheet.total, sheet.total.outages),
    ...sheet.checks.flatMap((check) => checkCells(check, timezone)),
    ...sheet.maintenance.flatMap((one, i) => maintenanceCells(i, one, sheet)),
  ]
}

export function cell({ key, text }: SheetCell, tag = 'td', className = 'n'): string {
  return `<${tag}${className === '' ? '' : ` class="${className}"`} data-cell="${escapeMarkup(key)}">${escapeMarkup(text)}</${tag}>`
}

/** Extracts the cells from a page, in document order. */
export function readCells(html: string): readonly SheetCell[] {
  const found = html.matchAll(/<[a-z]+(?: class="[^"]*")? data-cell="([^"]*)">([^<]*)</g)
  return [...found].map(([, key = '', text = '']) => ({ key: unescapeMarkup(key), text: unescapeMarkup(text) }))
}

/** The inverse of `escapeMarkup`. */
export function unescapeMarkup(markup: string): string {
  return markup.replace(/&#([0-9]{2});/g, (_, code: string) => String.fromCharCode(Number(code)))
}

function figureCells(of: string, { byRuns, byTime }: Pick<SheetTotal, 'byRuns' | 'byTime'>, outages: number): readonly SheetCell[] {
  return [
    { key: `${of} availability by time`, text: percentText(byTime.availability) },
    { key: `${of} availability by runs`, text: percentText(byRuns.availability) },
    { key: `${of} results`, text: wholeNumber(byRuns.total) },
    { key: `${of} failed`, text: wholeNumber(byRuns.total - byRuns.success) },
    { key: `${of} up`, text: durationInWords(byTime.upSeconds) },
    { key: `${of} down`, text: durationInWords(byTime.downSeconds) },
    { key: `${of} degraded`, text: durationInWords(byTime.degradedSeconds) },
    { key: `${of} maintenance`, text: durationInWords(byTime.maintenanceSeconds) },
    { key: `${of} unknown`, text: durationInWords(byTime.unknownSeconds) },
    { key: `${of} outages`, text: wholeNumber(outages) },
  ]
}

function checkCells(check: SheetCheck, timezone: string): readonly SheetCell[] {
  const { id, outages, evidence } = check
  return [
    ...figureCells(`check ${id}`, check, outages.length),
    { key: `check ${id} sha256`, text: evidence.sha256 },
    { key: `check ${id} exported`, text: `${wholeNumber(evidence.results)} results, ${wholeNumber(evidence.bytes)} bytes` },
    ...outages.flatMap((outage, i) => outageCells(`check ${id} outage ${i + 1}`, outage, timezone)),
  ]
}

function outageCells(of: string, outage: SheetOutage, timezone: string): readonly SheetCell[] {
  const { from, to, seconds, locations, reason, firstResultId, lastResultId, maintenance } = outage
  const ids = [...new Set([firstResultId, lastResultId])].filter((id) => id !== null)
  return [
    { key: `${of} from`, text: sheetTime(from, timezone) },
    { key: `${of} to`, text: to === null ? 'not ended' : sheetTime(to, timezone) },
    { key: `${of} lasted`, text: `${durationInWords(seconds)}${to === null ? ' so far' : ''}` },
    { key: `${of} locations`, text: locations.join(', ') },
    { key: `${of} reason`, text: reason ?? 'no reason recorded' },
    ...(maintenance ? [{ key: `${of} maintenance`, text: 'Partly or wholly in maintenance.' }] : []),
    { key: `${of} results`, text: ids.join(' … ') },
  ]
}

function maintenanceCells(i: number, { name, from, to, checkIds }: SheetMaintenance, { window, checks }: Sheet): readonly SheetCell[] {
  const of = `maintenance ${i + 1}`
  const seconds = (Date.parse(to) - Date.parse(from)) / 1000
  return [
    { key: `${of} name`, text: name },
    { key: `${of} from`, text: sheetTime(from, window.timezone) },
    { key: `${of} to`, text: sheetTime(to, window.timezone) },
    { key: `${of} lasts`, text: durationInWords(seconds) },
    { key: `${of} checks`, text: checkIds.length === checks.length ? 'all on this sheet' : checkIds.join(', ') },
  ]
}
