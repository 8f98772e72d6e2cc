import { flagsOf, resultId } from '../../query/parts/stored-result.ts'
import type { FiledResult } from '../../store.ts'
import { createRowWriter } from '../row-binary.ts'
import { type MetricColumns, pageColumn, valueColumn } from '../schema/metric-columns.ts'
import { candidates } from '../schema/tables.ts'
import { type Arrival, arrivalAt, maxSkewMs, precedenceOf } from './arrival.ts'

/** Rows of a table: `into` is the table and its columns. */
export type EncodedRows = { readonly into: string; readonly rows: Uint8Array }

export function encodeResults(filed: readonly FiledResult[], { values, pageValues }: MetricColumns, arrival: Arrival): EncodedRows {
  const writer = createRowWriter()
  const knownValues = new Set(values)
  for (const { check, result } of filed) {
    requireColumns(result.values, knownValues)
    writer.text(check.account)
    writer.text(check.checkId)
    writer.int64(result.startedAt)
    writer.text(result.runLocation)
    writer.text(result.id ?? '')
    writer.uint8(flagsOf(result))
    writer.uint16(result.attempts)
    writer.optional(result.state, writer.text)
    writer.optional(result.error, writer.text)
    writer.uint64(precedenceOf(arrival))
    writer.list(result.pages, ({ pageUrl }) => writer.text(pageUrl))
    for (const name of values) writer.optional(result.values[name], writer.float64)
    for (const name of pageValues) writer.list(result.pages, (page) => writer.optional(page.values[name], writer.float64))
  }
  const fixed = ['account', 'checkId', 'startedAt', 'runLocation', 'id', 'flags', 'attempts', 'state', 'error', 'precedence', 'pages.url']
  return { into: `results (${[...fixed, ...values.map(valueColumn), ...pageValues.map(pageColumn)].join(', ')})`, rows: writer.written() }
}

/** What has no column would be lost. */
function requireColumns(values: Readonly<Record<string, number>>, known: ReadonlySet<string>): void {
  for (const name in values) if (!known.has(name)) throw new RangeError(`The table of results has no column for ${name}.`)
}

/** The evidence of those results that have some; null where none has. */
export function encodeEvidenceRows(filed: readonly FiledResult[], arrival: Arrival): EncodedRows | null {
  const writer = createRowWriter()
  for (const { check, result, evidence } of filed) {
    if (!evidence) continue
    writer.text(check.account)
    writer.text(check.checkId)
    writer.int64(result.startedAt)
    writer.text(resultId(check, result))
    writer.bytes(evidence)
    writer.uint64(precedenceOf(arrival))
  }
  const rows = writer.written()
  return rows.length === 0 ? null : { into: 'evidence (account, checkId, startedAt, resultId, body, precedence)', rows }
}

/** Results as candidates for the newest of their check and location; `arrived` orders them as they came, whatever the clocks. */
export function encodeArrivals(filed: readonly FiledResult[], arrived: Arrival, now: number): EncodedRows {
  const writer = createRowWriter()
  const isSetBack = arrived - arrivalAt(now) > arrivalAt(maxSkewMs)
  for (const { check, result, arrivedAt = now } of filed) {
    writer.text(check.account)
    writer.text(check.checkId)
    writer.text(result.runLocation)
    writer.uint8(result.startedAt > now ? candidates.future : isSetBack ? candidates.setBack : candidates.ordinary)
    writer.text(`${timeText(result.startedAt)} ${result.id ?? ''}`)
    writer.text(JSON.stringify(arrivedAt > result.startedAt ? { ...result, arrivedAt } : result))
    writer.uint64(arrived)
  }
  return { into: 'arrivals (account, checkId, runLocation, isFuture, position, body, arrival)', rows: writer.written() }
}

/** Texts of equal length in the order of the instants. */
const timeText = (instant: number) => (BigInt(instant) + 2n ** 53n).toString().padStart(17, '0')
