import { lruCache } from '../cache/cache.ts'
import type { CheckType } from '../checks/define.ts'
import { pingLocation } from '../checks/probe/pings.ts'
import { isMapping } from '../collections/mapping.ts'
import { idGrammar } from '../ids/id-grammar.ts'
import { isAhead } from '../store/newest.ts'
import type { CheckRef, FiledResult, NewResult, PageResult } from '../store/store.ts'
import { nearest } from '../text/nearest.ts'
import { quoted } from '../text/shortened.ts'
import type { AdmitResult, Cardinality } from './cardinality.ts'
import type { ByteReader } from './fast-path/byte-reader.ts'
import { type Keys, keysOf, parsePlainRow } from './fast-path/plain-row.ts'
import { expectedLocation, expectedStart, newPartialResult, type PartialResult, type Properties, propertiesOf } from './properties.ts'
import { type Rejection, rejection } from './rejections.ts'

/** Parses and validates rows of one account. */
export type RowReader = {
  /** `at` is its index or line. */
  read(row: unknown, at: number): FiledResult | Rejection
  /** Fast path: the row at the cursor, which moves past it; null if `read` has to decide. */
  readPlain(cursor: ByteReader): FiledResult | null
}

type RowContext = {
  readonly account: string
  readonly typeOf: (checkId: string) => CheckType | undefined
  readonly now: number
  /** Null if any number of locations and status codes is accepted. */
  readonly cardinality: Cardinality | null
  /** The only location whose results are accepted; absent or null for any. */
  readonly location?: string | null
}

export function rowReader(context: RowContext): RowReader {
  const { now } = context
  const checks = checkLookup(context)
  const nearestNames = suggestions()
  return {
    read(row) {
      if (!isMapping(row)) return rejection('MALFORMED_ROW', { reason: 'it must be an object such as {"checkId": …, "startedAt": …}' })
      const check = checks.find(row.checkId)
      if (!check) return unknownCheck(row.checkId)
      const partial = newPartialResult()
      const invalid = setProperties(partial, row, { nearestNames, ...check }) ?? complete(partial, check.checkType, now)
      if (invalid) return invalid
      const result = resultOf(partial)
      return check.admit(result) ?? { check: check.ref, result }
    },
    readPlain(cursor) {
      const partial = newPartialResult()
      if (!parsePlainRow(cursor, partial, checks)) return null
      const check = checks.latest
      if (!check || complete(partial, check.checkType, now)) return null
      const result = resultOf(partial)
      return check.admit(result) ? null : { check: check.ref, result }
    },
  }
}

export function isRejection(read: object): read is Rejection {
  return 'code' in read
}

/** The allowed properties of rows of a check type. */
type RowSchema = { readonly checkType: CheckType; readonly properties: Properties; readonly keys: Keys }
type RowCheck = RowSchema & { readonly ref: CheckRef; readonly admit: AdmitResult }
type CheckLookup = { latest: RowCheck | undefined; find(checkId: unknown): RowCheck | undefined }

/** Finds checks by id; rows of one check often follow each other, so the latest is tried first. */
function checkLookup({ account, typeOf, cardinality, location = null }: RowContext): CheckLookup {
  const checks: CheckLookup = {
    latest: undefined,
    find(checkId) {
      if (typeof checkId !== 'string') return undefined
      if (checkId === checks.latest?.ref.checkId) return checks.latest
      const checkType = typeOf(checkId)
      if (!checkType) return undefined
      const { properties, keys } = rowSchemaOf(checkType)
      const ref = { account, checkId }
      checks.latest = { checkType, properties, keys, ref, admit: admitting(location, cardinality?.of(ref, checkType)) }
      return checks.latest
    },
  }
  return checks
}

const admitAll: AdmitResult = () => undefined

function admitting(location: string | null, admit: AdmitResult = admitAll): AdmitResult {
  if (location === null) return admit
  return (result) => (result.runLocation === location ? admit(result) : rejection('FORBIDDEN_LOCATION', { location: quoted(location) }))
}

const rowSchemas = lruCache<CheckType, RowSchema>(100)

function rowSchemaOf(checkType: CheckType): RowSchema {
  return rowSchemas.getOrCreate(checkType, () => {
    const properties = propertiesOf(checkType)
    return { checkType, properties, keys: keysOf(properties) }
  })
}

function setProperties(
  partial: PartialResult,
  row: Readonly<Record<string, unknown>>,
  { checkType, properties, nearestNames }: RowSchema & { readonly nearestNames: NearestNames },
): Rejection | undefined {
  for (const name in row) {
    const property = properties.get(name)
    if (!property) return rejection('UNKNOWN_METRIC', { name: quoted(name), type: checkType.type, nearest: nearestNames(name, properties) })
    const expected = property(partial, row[name])
    if (expected !== null) return rejection('INVALID_PROPERTY', { name, expected })
  }
  return undefined
}

/** Validates properties against each other, and fills in defaults. */
function complete(partial: PartialResult, { states, pingSettings }: CheckType, now: number): Rejection | undefined {
  if (partial.startedAt === null) return rejection('MISSING_PROPERTY', { name: 'startedAt', expected: expectedStart })
  if (isAhead(partial.startedAt, now)) return rejection('START_IN_FUTURE', { now: new Date(now).toISOString() })
  partial.runLocation ??= pingSettings ? pingLocation : null
  if (partial.runLocation === null) return rejection('MISSING_PROPERTY', { name: 'runLocation', expected: expectedLocation })
  const outcome = partial.state === null ? undefined : states[partial.state] === 'failure'
  partial.hasFailures ??= outcome ?? null
  if (partial.hasFailures === null) return rejection('MISSING_PROPERTY', { name: 'hasFailures', expected: 'true or false' })
  if (outcome !== undefined && outcome !== partial.hasFailures)
    return rejection('INVALID_PROPERTY', { name: 'hasFailures', expected: `${outcome} where state is ${partial.state}` })
  partial.state ??= firstStateOf(states, partial.hasFailures)
  if (partial.pages !== null && (partial.pageUrl !== '' || partial.page !== null))
    return rejection('INVALID_PROPERTY', { name: 'pages', expected: 'alone: measurements of a page belong in its entry there' })
  return undefined
}

function firstStateOf(states: CheckType['states'], failed: boolean): string | null {
  for (const name in states) if ((states[name] === 'failure') === failed) return name
  return null
}

/** The store derives a missing id. Property by property: batches are large, and object spread is slow. */
function resultOf(partial: PartialResult): NewResult {
  return {
    id: partial.id,
    startedAt: partial.startedAt ?? 0,
    runLocation: partial.runLocation ?? '',
    hasFailures: partial.hasFailures ?? false,
    hasErrors: partial.hasErrors,
    isDegraded: partial.isDegraded,
    overMaxResponseTime: partial.overMaxResponseTime,
    attempts: partial.attempts,
    state: partial.state,
    error: partial.error,
    values: partial.values,
    pages: partial.pages ?? onePage(partial.pageUrl, partial.page),
  }
}

function onePage(pageUrl: string, values: Readonly<Record<string, number>> | null): readonly PageResult[] {
  return pageUrl === '' && values === null ? [] : [{ pageUrl, values: values ?? {} }]
}

function unknownCheck(checkId: unknown): Rejection {
  return typeof checkId === 'string' && idGrammar.test(checkId)
    ? rejection('UNKNOWN_CHECK', { checkId: quoted(checkId) })
    : rejection('MISSING_PROPERTY', { name: 'checkId', expected: 'the id of a check' })
}

type NearestNames = (name: string, properties: Properties) => string

const maxSuggestions = 100

/** Suggests the nearest properties for a misspelled one. Only for the first rejected rows, since a body may have 10,000 of them. */
function suggestions(): NearestNames {
  let left = maxSuggestions
  return (name, properties) => {
    if (left === 0) return 'see the rows before'
    left--
    return nearest(name, [...properties.keys()]).join(', ')
  }
}
