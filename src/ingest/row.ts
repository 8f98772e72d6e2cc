import { memoizeByIdentity } from '../cache/memoize.ts'
import type { CheckType } from '../checks/define.ts'
import { pingLocation } from '../checks/probe/pings.ts'
import { idGrammar } from '../ids/id-grammar.ts'
import type { CheckRef, FiledResult, NewResult, Page } from '../store/store.ts'
import { nearest } from '../text/nearest.ts'
import type { ByteReader } from './fast-path/byte-reader.ts'
import { fillPlainly, type Keys, keysOf } from './fast-path/plain-row.ts'
import { type Draft, expectedLocation, expectedStart, newDraft, type Properties, propertiesOf } from './properties.ts'
import { quoted, type Rejection, rejection } from './rejections.ts'

/** Reads rows of one account. */
export type RowReader = {
  read(row: unknown): FiledResult | Rejection
  /** The result of the row that begins at the cursor, and moves the cursor behind it; null where it is for `read` to judge. */
  readPlainly(cursor: ByteReader): FiledResult | null
}

type RowContext = {
  readonly account: string
  readonly typeOf: (checkId: string) => CheckType | undefined
  readonly now: number
}

const aheadMs = 600_000

export function rowReader({ account, typeOf, now }: RowContext): RowReader {
  const checks = checkLookup(account, typeOf)
  return {
    read(row) {
      if (!isObject(row)) return rejection('MALFORMED_ROW', { reason: 'it must be an object such as {"checkId": …, "startedAt": …}' })
      const check = checks.find(row.checkId)
      if (!check) return unknownCheck(row.checkId)
      const draft = newDraft()
      return fill(draft, row, check) ?? settle(draft, check.checkType, now) ?? { check: check.ref, result: resultOf(draft) }
    },
    readPlainly(cursor) {
      const draft = newDraft()
      if (!fillPlainly(cursor, draft, checks)) return null
      const check = checks.latest
      return !check || settle(draft, check.checkType, now) ? null : { check: check.ref, result: resultOf(draft) }
    },
  }
}

export function isRejection(read: object): read is Rejection {
  return 'code' in read
}

/** What rows of a check type may hold. */
type RowSchema = { readonly checkType: CheckType; readonly properties: Properties; readonly keys: Keys }
type RowCheck = RowSchema & { readonly ref: CheckRef }
type CheckLookup = { latest: RowCheck | undefined; find(checkId: unknown): RowCheck | undefined }

/** Finds checks by id; rows of one check often follow each other, so the latest is tried first. */
function checkLookup(account: string, typeOf: RowContext['typeOf']): CheckLookup {
  const checks: CheckLookup = {
    latest: undefined,
    find(checkId) {
      if (typeof checkId !== 'string') return undefined
      if (checkId === checks.latest?.ref.checkId) return checks.latest
      const checkType = typeOf(checkId)
      if (!checkType) return undefined
      const { properties, keys } = rowSchemaOf(checkType)
      checks.latest = { checkType, properties, keys, ref: { account, checkId } }
      return checks.latest
    },
  }
  return checks
}

const rowSchemas = memoizeByIdentity<CheckType, RowSchema>()

function rowSchemaOf(checkType: CheckType): RowSchema {
  return rowSchemas(checkType, () => {
    const properties = propertiesOf(checkType)
    return { checkType, properties, keys: keysOf(properties) }
  })
}

function fill(draft: Draft, row: Readonly<Record<string, unknown>>, { checkType, properties }: RowSchema): Rejection | undefined {
  for (const name in row) {
    const property = properties.get(name)
    if (!property) return unknownProperty(name, checkType, properties)
    const expected = property(draft, row[name])
    if (expected !== null) return rejection('INVALID_PROPERTY', { name, expected })
  }
  return undefined
}

/** What holds between properties; completes the draft. */
function settle(draft: Draft, { states, pinged }: CheckType, now: number): Rejection | undefined {
  if (draft.startedAt === null) return rejection('MISSING_PROPERTY', { name: 'startedAt', expected: expectedStart })
  if (draft.startedAt > now + aheadMs) return rejection('START_IN_FUTURE', { now: new Date(now).toISOString() })
  draft.runLocation ??= pinged ? pingLocation : null
  if (draft.runLocation === null) return rejection('MISSING_PROPERTY', { name: 'runLocation', expected: expectedLocation })
  const outcome = draft.state === null ? undefined : states[draft.state] === 'failure'
  draft.hasFailures ??= outcome ?? null
  if (draft.hasFailures === null) return rejection('MISSING_PROPERTY', { name: 'hasFailures', expected: 'true or false' })
  if (outcome !== undefined && outcome !== draft.hasFailures)
    return rejection('INVALID_PROPERTY', { name: 'hasFailures', expected: `${outcome} where state is ${draft.state}` })
  draft.state ??= firstStateOf(states, draft.hasFailures)
  if (draft.pages !== null && (draft.pageUrl !== '' || draft.page !== null))
    return rejection('INVALID_PROPERTY', { name: 'pages', expected: 'alone: what was measured on a page stands in its entry there' })
  return undefined
}

function firstStateOf(states: CheckType['states'], failed: boolean): string | null {
  for (const name in states) if ((states[name] === 'failure') === failed) return name
  return null
}

/** An id that is not given is derived by the store. Property by property: batches are large, and copies by spreading are slow. */
function resultOf(draft: Draft): NewResult {
  return {
    id: draft.id,
    startedAt: draft.startedAt ?? 0,
    runLocation: draft.runLocation ?? '',
    hasFailures: draft.hasFailures ?? false,
    hasErrors: draft.hasErrors,
    isDegraded: draft.isDegraded,
    overMaxResponseTime: draft.overMaxResponseTime,
    attempts: draft.attempts,
    state: draft.state,
    error: draft.error,
    values: draft.values,
    pages: draft.pages ?? onePage(draft.pageUrl, draft.page),
  }
}

function onePage(pageUrl: string, values: Readonly<Record<string, number>> | null): readonly Page[] {
  return pageUrl === '' && values === null ? [] : [{ pageUrl, values: values ?? {} }]
}

function unknownCheck(checkId: unknown): Rejection {
  return typeof checkId === 'string' && idGrammar.test(checkId)
    ? rejection('UNKNOWN_CHECK', { checkId: quoted(checkId) })
    : rejection('MISSING_PROPERTY', { name: 'checkId', expected: 'the id of a check' })
}

function unknownProperty(name: string, { type }: CheckType, properties: Properties): Rejection {
  return rejection('UNKNOWN_METRIC', { name: quoted(name), type, nearest: nearest(name.slice(0, 60), [...properties.keys()]).join(', ') })
}

function isObject(row: unknown): row is Readonly<Record<string, unknown>> {
  return typeof row === 'object' && row !== null && !Array.isArray(row)
}
