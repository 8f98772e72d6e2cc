import { readCells, sheetCells } from './cells.ts'
import { pluralOf } from './figures.ts'
import { type ReadSheet, sheetText } from './read-sheet.ts'
import { fingerprintOf, totalOf } from './sheet.ts'
import type { ByRuns, ByTime, Sheet, SheetCheck, SheetMaintenance, SheetOutage } from './sheet-schema.ts'

/** One verified statement of a sheet; `matches` is null for a remark that proves nothing. */
export type VerifiedLine = { readonly matches: boolean | null; readonly subject: string; readonly words: string }

/** Checks that a file is consistent: fingerprint and total match the data, and the figures match the data. */
export function fileLines(read: ReadSheet, version: string): readonly VerifiedLine[] {
  const { sheet, fingerprint, format } = read
  const actual = fingerprintOf(sheet)
  const sum = totalOf(sheet.checks, sheet.policy)
  return [
    line('fingerprint', actual === fingerprint, `is that of the data: ${fingerprint}`, `says ${fingerprint}, the data have ${actual}`),
    line('total', same(sum, sheet.total), 'is the sum of the checks', 'is not the sum of the checks'),
    ...(format === 'html' ? visibleLines(read) : []),
    wholeLine(read, version),
  ]
}

export type Recomputed = {
  /** The ids that the selection matches, without checks created after the sheet. */
  readonly selected: readonly string[]
  readonly checks: ReadonlyMap<string, SheetCheck | { readonly problem: string }>
  readonly maintenance: readonly SheetMaintenance[]
}

/** Checks whether the store still returns the figures of a sheet. */
export function storeLines(sheet: Sheet, { selected, checks, maintenance }: Recomputed): readonly VerifiedLine[] {
  const listed = sheet.checks.map(({ id }) => id)
  const current = [...checks.values()].flatMap((check) => ('problem' in check ? [] : [check]))
  const total = totalOf(current, sheet.policy)
  return [
    line('checks', sameSet(selected, listed), `${pluralOf(listed.length, 'check')}, as selected`, selectionDifference(selected, listed)),
    ...sheet.checks.flatMap((check) => checkLines(check, checks.get(check.id), sheet)),
    figureLine('total by runs', sheet.total.byRuns, total.byRuns),
    figureLine('total by time', sheet.total.byTime, total.byTime),
    line(
      'maintenance',
      same(maintenance, sheet.maintenance),
      pluralOf(maintenance.length, 'window'),
      maintenanceDifference(sheet, maintenance),
    ),
  ]
}

function visibleLines({ sheet, text }: ReadSheet): readonly VerifiedLine[] {
  const expected = new Map(sheetCells(sheet).map(({ key, text: shown }) => [key, shown]))
  const cells = readCells(text)
  const shown = new Set(cells.map(({ key }) => key))
  const wrong = cells.filter(({ key, text: content }) => expected.get(key) !== content)
  const missing = [...expected.keys()].filter((key) => !shown.has(key))
  if (wrong.length === 0 && missing.length === 0)
    return [line('shown figures', true, `all ${cells.length} on the page are those of the data`, '')]
  return [
    ...wrong.map(({ key, text: content }) =>
      line(`shown ${key}`, false, '', `the page shows ${quoted(content)}, the data say ${quoted(expected.get(key) ?? 'nothing')}`),
    ),
    ...missing.map((key) => line(`shown ${key}`, false, '', `is not on the page; the data say ${quoted(expected.get(key) ?? '')}`)),
  ]
}

/** Only the version that wrote a file produces the same bytes. */
function wholeLine({ sheet, format, text }: ReadSheet, version: string): VerifiedLine {
  const subject = 'whole file'
  if (sheet.version !== version) {
    const words = `was written by Tidemark ${sheet.version}, this is ${version}: text other than the figures was not compared`
    return { matches: null, subject, words }
  }
  const [written, found] = [sheetText(sheet, format).split('\n'), text.split('\n')]
  const place = written.findIndex((content, i) => content !== found[i])
  const at = place === -1 ? written.length : place
  return line(subject, place === -1 && written.length === found.length, 'is as Tidemark writes it', `was changed at line ${at + 1}`)
}

function checkLines(check: SheetCheck, now: SheetCheck | { readonly problem: string } | undefined, sheet: Sheet): readonly VerifiedLine[] {
  const { id, name, evidence } = check
  if (now === undefined) return [line(id, false, '', 'there is no such check any more')]
  if ('problem' in now) return [line(id, false, '', `could not be recomputed: ${now.problem}`)]
  const results = `${pluralOf(evidence.results, 'result')}, SHA-256 ${evidence.sha256}`
  const changed = `sheet: ${results}; store: ${pluralOf(now.evidence.results, 'result')}, SHA-256 ${now.evidence.sha256}`
  return [
    line(`${id} name`, name === now.name && check.checkType === now.checkType, name, `sheet: ${name}; store: ${now.name}`),
    line(`${id} results`, same(evidence, now.evidence), results, changed),
    figureLine(`${id} by runs`, check.byRuns, now.byRuns),
    figureLine(`${id} by time`, check.byTime, now.byTime),
    ...outageLines(check, now, sheet),
  ]
}

function figureLine(subject: string, sheet: ByRuns | ByTime, now: ByRuns | ByTime): VerifiedLine {
  const [before, after] = [Object.entries(sheet), new Map(Object.entries(now))]
  const changes = before.filter(([name, value]) => after.get(name) !== value)
  const words = changes.map(([name, value]) => `${name} ${value} on the sheet, ${after.get(name)} in the store`)
  return line(subject, changes.length === 0, `availability ${sheet.availability ?? 'without data'}`, words.join('; '))
}

function outageLines({ id, outages }: SheetCheck, now: SheetCheck, { window }: Sheet): readonly VerifiedLine[] {
  const current = new Map(now.outages.map((outage) => [outage.from, outage]))
  const listed = new Set(outages.map(({ from }) => from))
  const added = now.outages.filter(({ from }) => !listed.has(from))
  return [
    line(
      `${id} outages`,
      outages.length === now.outages.length,
      `${outages.length}`,
      `${outages.length} on the sheet, ${now.outages.length} in the store`,
    ),
    ...outages.map((outage) => outageLine(`${id} outage ${outage.from}`, outage, current.get(outage.from), window.to)),
    ...added.map(({ from, reason }) => line(`${id} outage ${from}`, false, '', `is not on the sheet: ${reason ?? 'no reason recorded'}`)),
  ]
}

/** If an outage extends beyond the window, its end may have changed since. That does not affect the window. */
function outageLine(subject: string, outage: SheetOutage, now: SheetOutage | undefined, windowEnd: string): VerifiedLine {
  if (now === undefined) return line(subject, false, '', 'is not in the store')
  const beyond = (one: SheetOutage) => one.to === null || one.to > windowEnd
  const fields = (beyond(outage) && beyond(now) ? ['firstResultId'] : Object.keys(outage)) as (keyof SheetOutage)[]
  const changes = fields.filter((field) => !same(outage[field], now[field]))
  const words = changes.map((field) => `${field} ${shown(outage[field])} on the sheet, ${shown(now[field])} in the store`)
  return line(subject, changes.length === 0, outage.reason ?? 'no reason recorded', words.join('; '))
}

function maintenanceDifference({ maintenance }: Sheet, now: readonly SheetMaintenance[]): string {
  const texts = (all: readonly SheetMaintenance[]) => all.map((one) => JSON.stringify(one))
  const [before, after] = [texts(maintenance), texts(now)]
  const gone = before.filter((one) => !after.includes(one)).map((one) => `only on the sheet: ${one}`)
  const added = after.filter((one) => !before.includes(one)).map((one) => `only in the store: ${one}`)
  return [...gone, ...added].join('; ') || 'in another order'
}

function selectionDifference(selected: readonly string[], listed: readonly string[]): string {
  const left = listed.filter((id) => !selected.includes(id)).map((id) => `${id} is no longer selected`)
  const more = selected.filter((id) => !listed.includes(id)).map((id) => `${id} is selected, but is not on the sheet`)
  return [...left, ...more].join('; ')
}

function line(subject: string, matches: boolean, good: string, bad: string): VerifiedLine {
  return { matches, subject, words: matches ? good : bad }
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
const sameSet = (a: readonly string[], b: readonly string[]) => same([...a].sort(), [...b].sort())
const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
const quoted = (text: string) => JSON.stringify(text)
