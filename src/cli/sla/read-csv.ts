import { grouped } from '../../collections/lists.ts'
import { CsvError, csvRecords } from '../../text/csv.ts'
import { percentDecoded } from '../../text/percent-decoded.ts'
import { columns } from './csv.ts'
import {
  type ByRuns,
  type ByTime,
  type SealedSheet,
  type Sheet,
  type SheetCheck,
  type SheetMaintenance,
  type SheetOutage,
  sheetFormat,
} from './sheet-schema.ts'

/** Parses the output of `sheetCsv`; undefined if the text is not such a table. */
export async function readSheetCsv(text: string): Promise<SealedSheet | undefined> {
  const [header, ...records] = await recordsOf(text)
  if (header?.join() !== columns.join()) return undefined
  const rows = grouped(records.map(toRow), ({ text: cell }) => cell('record'))
  const rowsOf = (record: string) => rows.get(record) ?? []
  const [head] = rowsOf('sheet')
  const [total] = rowsOf('total')
  if (!head || !total || head.text('format') !== sheetFormat) return undefined
  const outages = grouped(rowsOf('outage'), ({ text: cell }) => cell('checkId'))
  const checks = rowsOf('check').map((row) => toCheck(row, outages.get(row.text('checkId')) ?? []))
  const sheet: Sheet = {
    ...toHead(head),
    total: { ...toFigures(total), outages: total.number('outages') },
    checks,
    maintenance: rowsOf('maintenance').map(toMaintenance),
  }
  return { sheet, fingerprint: head.text('fingerprint') }
}

type Row = {
  readonly text: (column: string) => string
  readonly textOrNull: (column: string) => string | null
  readonly number: (column: string) => number
  readonly numberOrNull: (column: string) => number | null
  readonly list: (column: string) => readonly string[]
}

function toRow(cells: readonly string[]): Row {
  const values = new Map(columns.map((column, i) => [column as string, cells[i] ?? '']))
  const text = (column: string) => values.get(column) ?? ''
  const textOrNull = (column: string) => text(column) || null
  const number = (column: string) => Number(text(column))
  const numberOrNull = (column: string) => (text(column) === '' ? null : number(column))
  return { text, textOrNull, number, numberOrNull, list: (column) => listOf(text(column)) }
}

function toHead({ text, textOrNull, number, list }: Row): Omit<Sheet, 'total' | 'checks' | 'maintenance'> {
  return {
    format: sheetFormat,
    version: text('version'),
    generatedAt: text('generatedAt'),
    account: text('account'),
    selection: { tags: list('tags'), checks: list('checks') },
    window: {
      from: text('from'),
      to: text('to'),
      timezone: text('timezone'),
      month: textOrNull('month'),
      partial: text('partial') === 'true',
    },
    policy: {
      quorum: text('quorum'),
      degraded: text('degraded'),
      maintenance: text('maintenance'),
      minOutageSeconds: number('minOutageSeconds'),
      serviceHours: textOrNull('serviceHours'),
    },
  }
}

function toFigures({ number, numberOrNull }: Row): { readonly byRuns: ByRuns; readonly byTime: ByTime } {
  return {
    byRuns: { total: number('total'), success: number('success'), availability: numberOrNull('availabilityByRuns') },
    byTime: {
      availability: numberOrNull('availabilityByTime'),
      upSeconds: number('upSeconds'),
      degradedSeconds: number('degradedSeconds'),
      downSeconds: number('downSeconds'),
      maintenanceSeconds: number('maintenanceSeconds'),
      unknownSeconds: number('unknownSeconds'),
    },
  }
}

function toCheck(row: Row, outages: readonly Row[]): SheetCheck {
  return {
    id: row.text('checkId'),
    name: row.text('name'),
    checkType: row.text('checkType'),
    ...toFigures(row),
    outages: outages.map(toOutage),
    evidence: { results: row.number('results'), bytes: row.number('bytes'), sha256: row.text('sha256') },
  }
}

function toOutage({ text, textOrNull, number, list }: Row): SheetOutage {
  return {
    from: text('from'),
    to: textOrNull('to'),
    seconds: number('seconds'),
    locations: list('locations'),
    reason: textOrNull('reason'),
    firstResultId: textOrNull('firstResultId'),
    lastResultId: textOrNull('lastResultId'),
    maintenance: text('inMaintenance') === 'true',
  }
}

function toMaintenance({ text, list }: Row): SheetMaintenance {
  return { name: text('name'), from: text('from'), to: text('to'), checkIds: list('checks') }
}

function listOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(' ').map(percentDecoded)
}

async function recordsOf(text: string): Promise<readonly (readonly string[])[]> {
  const records: (readonly string[])[] = []
  try {
    for await (const { cells } of csvRecords(once(text), text.length)) records.push(cells)
  } catch (error) {
    if (error instanceof CsvError) return []
    throw error
  }
  return records
}

async function* once(text: string): AsyncGenerator<string> {
  yield text
}
