import type { CheckType } from '../checks/define.ts'
import { idGrammar } from '../id.ts'
import { nearest } from '../nearest.ts'
import type { CheckRef, FiledResult, NewResult, Page } from '../store/store.ts'
import { type Draft, expectedLocation, expectedStart, newDraft, type Properties, propertiesOf } from './properties.ts'
import { quoted, type Rejection, rejection } from './rejections.ts'

/** Reads rows of one account. */
type RowReader = (row: unknown) => FiledResult | Rejection

type RowContext = {
  readonly account: string
  readonly typeOf: (checkId: string) => CheckType | undefined
  readonly now: number
}

const aheadMs = 600_000

export function rowReader({ account, typeOf, now }: RowContext): RowReader {
  return (row) => {
    if (!isObject(row)) return rejection('MALFORMED_ROW', { reason: 'it must be an object such as {"checkId": …, "startedAt": …}' })
    const { checkId } = row
    if (typeof checkId !== 'string' || !idGrammar.test(checkId))
      return rejection('MISSING_PROPERTY', { name: 'checkId', expected: 'the id of a check' })
    const check = knownOf(typeOf(checkId))
    if (!check) return rejection('UNKNOWN_CHECK', { checkId: quoted(checkId) })
    return readRow(row, check, { ref: { account, checkId }, now })
  }
}

export function isRejection(read: object): read is Rejection {
  return 'code' in read
}

type Known = { readonly checkType: CheckType; readonly properties: Properties }
const knownTypes = new WeakMap<CheckType, Known>()

function knownOf(checkType: CheckType | undefined): Known | undefined {
  if (!checkType) return undefined
  const known = knownTypes.get(checkType) ?? { checkType, properties: propertiesOf(checkType) }
  knownTypes.set(checkType, known)
  return known
}

function readRow(
  row: Readonly<Record<string, unknown>>,
  { checkType, properties }: Known,
  { ref, now }: { readonly ref: CheckRef; readonly now: number },
): FiledResult | Rejection {
  const draft = newDraft(checkType)
  for (const name in row) {
    const property = properties.get(name)
    if (!property) return unknownProperty(name, checkType, properties)
    const expected = property(draft, row[name])
    if (expected !== null) return rejection('INVALID_PROPERTY', { name, expected })
  }
  return settle(draft, checkType, now) ?? { check: ref, result: resultOf(draft) }
}

/** What holds between properties; completes the draft. */
function settle(draft: Draft, { states }: CheckType, now: number): Rejection | undefined {
  if (draft.startedAt === null) return rejection('MISSING_PROPERTY', { name: 'startedAt', expected: expectedStart })
  if (draft.startedAt > now + aheadMs) return rejection('START_IN_FUTURE', { now: new Date(now).toISOString() })
  if (draft.runLocation === null) return rejection('MISSING_PROPERTY', { name: 'runLocation', expected: expectedLocation })
  const outcome = draft.state === null ? undefined : states[draft.state] === 'failure'
  draft.hasFailures ??= outcome ?? null
  if (draft.hasFailures === null) return rejection('MISSING_PROPERTY', { name: 'hasFailures', expected: 'true or false' })
  if (outcome !== undefined && outcome !== draft.hasFailures)
    return rejection('INVALID_PROPERTY', { name: 'hasFailures', expected: `${outcome} where state is ${draft.state}` })
  draft.state ??= firstStateOf(states, draft.hasFailures)
  if (draft.pages !== null && (draft.pageUrl !== '' || Object.keys(draft.page).length > 0))
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

function onePage(pageUrl: string, values: Readonly<Record<string, number>>): readonly Page[] {
  return pageUrl === '' && Object.keys(values).length === 0 ? [] : [{ pageUrl, values }]
}

function unknownProperty(name: string, { type }: CheckType, properties: Properties): Rejection {
  return rejection('UNKNOWN_METRIC', { name: quoted(name), type, nearest: nearest(name.slice(0, 60), [...properties.keys()]).join(', ') })
}

function isObject(row: unknown): row is Readonly<Record<string, unknown>> {
  return typeof row === 'object' && row !== null && !Array.isArray(row)
}
