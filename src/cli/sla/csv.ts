import { csvLine, csvValue } from '../../text/csv.ts'
import { fingerprintOf, timeFields } from './sheet.ts'
import type { Sheet, SheetCheck, SheetOutage } from './sheet-schema.ts'

/** Columns that a record does not use are empty. */
export const columns = [
  ...['record', 'checkId', 'name', 'checkType', 'from', 'to', 'total', 'success', 'availabilityByRuns', 'availabilityByTime'],
  ...timeFields,
  ...['outages', 'seconds', 'locations', 'reason', 'firstResultId', 'lastResultId', 'inMaintenance', 'results', 'bytes', 'sha256'],
  ...['account', 'timezone', 'month', 'partial', 'tags', 'checks', 'quorum', 'degraded', 'maintenance', 'minOutageSeconds', 'serviceHours'],
  ...['format', 'version', 'generatedAt', 'fingerprint'],
] as const
type Cells = Readonly<Record<string, string | number | boolean | null | readonly string[]>>

/** One table with a row for the sheet, the total, and each check, outage and maintenance. All share the same columns. */
export function sheetCsv(sheet: Sheet): string {
  const rows: readonly Cells[] = [
    headRow(sheet),
    { record: 'total', ...figures(sheet.total), outages: sheet.total.outages },
    ...sheet.checks.map(checkRow),
    ...sheet.checks.flatMap(({ id, name, outages }) => outages.map((outage) => outageRow(id, name, outage))),
    ...sheet.maintenance.map(({ checkIds, ...rest }) => ({ record: 'maintenance', ...rest, checks: checkIds })),
  ]
  return [columns, ...rows.map((row) => columns.map((column) => csvValue(row[column])))].map(csvLine).join('')
}

function headRow(sheet: Sheet): Cells {
  const { format, version, generatedAt, account, selection, window, policy } = sheet
  return { record: 'sheet', format, version, generatedAt, account, ...selection, ...window, ...policy, fingerprint: fingerprintOf(sheet) }
}

function checkRow({ id, name, checkType, outages, evidence, ...rest }: SheetCheck): Cells {
  return { record: 'check', checkId: id, name, checkType, ...figures(rest), outages: outages.length, ...evidence }
}

function outageRow(checkId: string, name: string, { maintenance, ...outage }: SheetOutage): Cells {
  return { record: 'outage', checkId, name, ...outage, inMaintenance: maintenance }
}

function figures({ byRuns, byTime }: Pick<SheetCheck, 'byRuns' | 'byTime'>): Cells {
  const { availability: availabilityByRuns, ...counts } = byRuns
  const { availability: availabilityByTime, ...seconds } = byTime
  return { ...counts, availabilityByRuns, availabilityByTime, ...seconds }
}
