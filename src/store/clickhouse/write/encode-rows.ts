import { isAhead } from '../../newest.ts'
import { comparePositions, flagsOf, resultId } from '../../query/parts/stored-result.ts'
import type { FiledResult, NewResult } from '../../store.ts'
import { createRowWriter } from '../row-binary.ts'
import { type MetricColumns, pageColumn, valueColumn } from '../schema/metric-columns.ts'
import { candidates, voidFlag } from '../schema/tables.ts'
import { type Arrival, arrivalAt, maxSkewMs, precedenceOf } from './arrival.ts'
import type { StoredKey } from './known-results.ts'

/** Rows to insert; `into` is the table with its columns. */
export type EncodedRows = { readonly into: string; readonly rows: Uint8Array }

type ResultRow = Pick<FiledResult, 'check' | 'result'> & { readonly flags: number; readonly precedence: bigint }

export function encodeResults(filed: readonly FiledResult[], metrics: MetricColumns, arrival: Arrival): EncodedRows {
  const precedence = precedenceOf(arrival)
  return encodeRows(
    filed.map(({ check, result }) => ({ check, result, flags: flagsOf(result), precedence })),
    metrics,
  )
}

/** Rows that do not count, and replace the rows that are stored with the same keys. */
export function encodeVoids(keys: readonly StoredKey[], metrics: MetricColumns): EncodedRows {
  const precedence = precedenceOf(0n)
  return encodeRows(
    keys.map(({ check, ...key }) => ({ check, result: { ...emptyResult, ...key }, flags: voidFlag, precedence })),
    metrics,
  )
}

const emptyResult = {
  hasFailures: false,
  hasErrors: false,
  isDegraded: false,
  overMaxResponseTime: false,
  attempts: 1,
  state: null,
  error: null,
  values: {},
  pages: [],
} as const

function encodeRows(rows: readonly ResultRow[], { values, pageValues }: MetricColumns): EncodedRows {
  const writer = createRowWriter()
  const knownValues = new Set(values)
  for (const { check, result, flags, precedence } of rows) {
    requireColumns(result.values, knownValues)
    writer.text(check.account)
    writer.text(check.checkId)
    writer.int64(result.startedAt)
    writer.text(result.runLocation)
    writer.text(result.id ?? '')
    writer.uint8(flags)
    writer.uint16(result.attempts)
    writer.optional(result.state, writer.text)
    writer.optional(result.error, writer.text)
    writer.uint64(precedence)
    writer.list(result.pages, ({ pageUrl }) => writer.text(pageUrl))
    for (const name of values) writer.optional(result.values[name], writer.float64)
    for (const name of pageValues) writer.list(result.pages, (page) => writer.optional(page.values[name], writer.float64))
  }
  const fixed = ['account', 'checkId', 'startedAt', 'runLocation', 'id', 'flags', 'attempts', 'state', 'error', 'precedence', 'pages.url']
  return { into: `results (${[...fixed, ...values.map(valueColumn), ...pageValues.map(pageColumn)].join(', ')})`, rows: writer.written() }
}

/** Values without a column would be lost. */
function requireColumns(values: Readonly<Record<string, number>>, known: ReadonlySet<string>): void {
  for (const name in values) if (!known.has(name)) throw new RangeError(`The table of results has no column for ${name}.`)
}

/** Skips results without evidence. */
export function encodeEvidenceRows(filed: readonly FiledResult[], arrival: Arrival): EncodedRows {
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
  return { into: 'evidence (account, checkId, startedAt, resultId, body, precedence)', rows: writer.written() }
}

/**
 * Results as candidates for the newest of their check and location. Only the last of each kind is sent; `arrived` is their order of
 * arrival, whatever the clocks say.
 */
export function encodeArrivals(filed: readonly FiledResult[], arrived: Arrival, now: number): EncodedRows {
  const writer = createRowWriter()
  const isSetBack = arrived - arrivalAt(now) > arrivalAt(maxSkewMs)
  const kindOf = ({ startedAt }: NewResult) =>
    isAhead(startedAt, now) ? candidates.future : isSetBack ? candidates.setBack : candidates.ordinary
  for (const [kind, { check, result, arrivedAt = now }] of lastOfEach(filed, kindOf))
    writeCandidate(writer, {
      check,
      kind,
      runLocation: result.runLocation,
      position: positionText(result),
      body: arrivedAt > result.startedAt ? { ...result, arrivedAt } : result,
      arrived,
    })
  return { into: candidateColumns, rows: writer.written() }
}

/** A result that replaces a voided one, which was the newest of its location and kind. */
export type Replacement = { readonly voided: StoredKey; readonly kind: number; readonly result: NewResult }

/** Replacements sort right behind the voided result, and before every result that starts later. */
export function encodeReplacements(replacements: readonly Replacement[], arrived: Arrival): EncodedRows {
  const writer = createRowWriter()
  for (const { voided, kind, result } of replacements) {
    const { check, runLocation } = voided
    writeCandidate(writer, { check, kind, runLocation, position: `${positionText(voided)} `, body: result, arrived })
  }
  return { into: candidateColumns, rows: writer.written() }
}

const candidateColumns = 'arrivals (account, checkId, runLocation, isFuture, position, body, arrival)'

type Candidate = Pick<FiledResult, 'check'> & {
  readonly kind: number
  readonly runLocation: string
  readonly position: string
  readonly body: NewResult & Pick<FiledResult, 'arrivedAt'>
  readonly arrived: Arrival
}

function writeCandidate(writer: ReturnType<typeof createRowWriter>, candidate: Candidate): void {
  const { check, kind, runLocation, position, body, arrived } = candidate
  writer.text(check.account)
  writer.text(check.checkId)
  writer.text(runLocation)
  writer.uint8(kind)
  writer.text(position)
  writer.text(JSON.stringify(body))
  writer.uint64(arrived)
}

const positionText = ({ startedAt, id }: Pick<NewResult, 'startedAt' | 'id'>) => `${timeText(startedAt)} ${id ?? ''}`

/** The last result of each check, location and kind, with its kind. */
function lastOfEach<Kind>(filed: readonly FiledResult[], kindOf: (result: NewResult) => Kind): Iterable<readonly [Kind, FiledResult]> {
  const last = new Map<string, readonly [Kind, FiledResult]>()
  for (const each of filed) {
    const kind = kindOf(each.result)
    const name = JSON.stringify([each.check.account, each.check.checkId, each.result.runLocation, kind])
    const [, previous] = last.get(name) ?? []
    if (!previous || comparePositions(previous.result, each.result) <= 0) last.set(name, [kind, each])
  }
  return last.values()
}

/** Fixed-width text that sorts like the instants. */
const timeText = (instant: number) => (BigInt(instant) + 2n ** 53n).toString().padStart(17, '0')
