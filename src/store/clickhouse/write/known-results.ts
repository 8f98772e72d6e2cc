import { checkKey } from '../../../ids/check-ref.ts'
import { hourMs } from '../../../time.ts'
import { comparePositions } from '../../query/parts/stored-result.ts'
import { batchCalls } from '../../questions/calls.ts'
import type { CheckRef, FiledResult, Window } from '../../store.ts'
import type { Connection, StatementParams } from '../connection.ts'
import { parameterBatches } from '../parameter-batches.ts'
import { amongChecks } from '../read/among-checks.ts'
import { inWindow } from '../read/select-results.ts'
import { voidFlag } from '../schema/tables.ts'

/** A retry has the same id and start. If two agents run the same slot, their results have the same id and start close to each other. */
export const marginMs = hourMs
const resultsPerStatement = 2000
/** Results that start further apart are searched separately: the gap between their margins holds no row of either. */
const maxGapMs = 2 * marginMs
const maxGaps = 30
/** From this many results on, it is cheaper to check first whether anything is stored near them than to send their ids. */
const manyResults = 100

export type StoredKey = { readonly check: CheckRef } & Identified

/** Results that need not be added, as ascending indexes. */
export type KnownResults = {
  /** Stored already, or repeats of a result in the same call that starts earlier or comes first. */
  readonly duplicates: readonly number[]
  /** Stored with the same start and location, so that storing them again changes nothing. */
  readonly repeatable: readonly number[]
  /** Stored rows of the other duplicates, which have the same id and another start or location. */
  readonly elsewhere: readonly StoredKey[]
  /** Results whose id is stored more than once. */
  readonly doubled: readonly number[]
}

export async function knownAmong(connection: Connection, filed: readonly FiledResult[]): Promise<KnownResults> {
  const stored = new Map<string, readonly StoredRow[]>()
  await batchCalls(searchedTogether(filed, keyOfResult), async (some) => {
    if (some.length > manyResults && !(await hasAny(connection, some))) return
    for (const [name, key] of await storedAmong(connection, some)) stored.set(name, [...(stored.get(name) ?? []), key])
  })
  /** By identity, the start of the last result that counts. */
  const kept = new Map<string, number>()
  const [duplicates, repeatable, elsewhere, doubled]: [number[], number[], StoredKey[], number[]] = [[], [], [], []]
  for (const [i, { check, result }] of inOrder(filed)) {
    const name = identityOf(check, { ...result, id: result.id ?? '' })
    const near = (stored.get(name) ?? []).filter(({ startedAt }) => isNear(startedAt, result.startedAt)).toSorted(comparePositions)
    const found = near.filter(({ isVoid }) => !isVoid)
    // A void replaces any row with its key, and its writer has seen another row with the same id.
    const isVoided = near.some((row) => row.isVoid && isSameRow(row, result))
    const isRepeated = isNear(kept.get(name) ?? Number.NEGATIVE_INFINITY, result.startedAt)
    if (found.length > 0 || isVoided || isRepeated) duplicates.push(i)
    if (isRepeated) continue
    kept.set(name, found[0]?.startedAt ?? result.startedAt)
    if (found.length > 1) doubled.push(i)
    if (found.some((row) => isSameRow(row, result))) repeatable.push(i)
    else elsewhere.push(...found.slice(0, 1))
  }
  return { duplicates: duplicates.sort(ascending), repeatable: repeatable.sort(ascending), elsewhere, doubled }
}

const ascending = (a: number, b: number) => a - b

/** Whether results with the same id may be of the same run. */
export const isNear = (startedAt: number, other: number) => Math.abs(startedAt - other) <= marginMs

/** Results with their indexes, by position. Of equal results the first counts, as in a data folder. */
function inOrder(filed: readonly FiledResult[]): readonly (readonly [number, FiledResult])[] {
  return [...filed.entries()].sort(([, a], [, b]) => comparePositions(a.result, b.result))
}

/** The fields by which a result is searched for. */
type SearchedKey = Pick<StoredKey, 'check' | 'id' | 'startedAt'>

export const keyOfResult = ({ check, result }: FiledResult): SearchedKey => ({
  check,
  id: result.id ?? '',
  startedAt: result.startedAt,
})

/** Splits items, ordered by start, into groups for one statement each. */
export function searchedTogether<Item>(items: readonly Item[], keyOf: (item: Item) => SearchedKey): readonly (readonly Item[])[] {
  const startOf = (item: Item) => keyOf(item).startedAt
  const sorted = items.toSorted((a, b) => startOf(a) - startOf(b))
  const gaps = sorted.flatMap((item, i) => {
    const gapMs = i === 0 ? 0 : startOf(item) - startOf(sorted[i - 1] as Item)
    return gapMs > maxGapMs ? [{ i, gapMs }] : []
  })
  const cuts = new Set(
    gaps
      .toSorted((a, b) => b.gapMs - a.gapMs)
      .slice(0, maxGaps)
      .map(({ i }) => i),
  )
  const groups: Item[][] = []
  for (const [i, item] of sorted.entries()) {
    const group = groups.at(-1)
    if (!group || cuts.has(i)) groups.push([item])
    else group.push(item)
  }
  return groups.flatMap((group) => parameterBatches(group, resultsPerStatement, (item) => textsOf(keyOf(item))))
}

const textsOf = ({ check, id, startedAt }: SearchedKey) => [check.account, check.checkId, id, String(startedAt)]

type StoredRow = StoredKey & { readonly isVoid: boolean }

async function storedAmong(
  connection: Connection,
  filed: readonly FiledResult[],
): Promise<readonly (readonly [name: string, found: StoredRow])[]> {
  const derived = filed.filter(({ result }) => result.id === null).map(({ result }) => result.startedAt)
  const ids = filed.flatMap(({ result }) => result.id ?? [])
  const { sql: near, params } = around(filed)
  const sql = `SELECT account, checkId, id, startedAt, runLocation, max(flags) FROM results WHERE ${near} AND (id IN {ids:Array(String)} OR (id = '' AND startedAt IN {derived:Array(Int64)})) GROUP BY account, checkId, id, startedAt, runLocation`
  const rows = await connection.rows({ sql, params: { ...params, ids, derived: [...new Set(derived)] } })
  return rows.map(([account, checkId, id, startedAt, runLocation, flags]) => {
    const check = { account: String(account), checkId: String(checkId) }
    const key = { check, id: String(id), startedAt: Number(startedAt), runLocation: String(runLocation) }
    return [identityOf(check, key), { ...key, isVoid: Number(flags) >= voidFlag }]
  })
}

/** New results and imported histories mostly go where nothing is stored yet, and then their ids need not be sent. */
async function hasAny(connection: Connection, filed: readonly FiledResult[]): Promise<boolean> {
  const { sql, params } = around(filed)
  const [row] = await connection.rows({ sql: `SELECT startedAt FROM results WHERE ${sql} LIMIT 1`, params })
  return row !== undefined
}

export function distinctChecks(of: readonly { readonly check: CheckRef }[]): readonly CheckRef[] {
  return [...new Map(of.map(({ check }) => [checkKey(check), check])).values()]
}

/** When results with the same ids may have started; a derived id implies the same start. */
export function windowAround(filed: readonly FiledResult[]): Window {
  const { from, to } = startedWindow(filed.map(({ result }) => result))
  const margin = filed.some(({ result }) => result.id !== null) ? marginMs : 0
  return { from: from - margin, to: to + margin }
}

export function startedWindow(started: readonly { readonly startedAt: number }[]): Window {
  const times = started.map(({ startedAt }) => startedAt)
  return { from: Math.min(...times), to: Math.max(...times) }
}

/** Condition for rows of these checks, near the results in time. */
function around(filed: readonly FiledResult[]): { readonly sql: string; readonly params: StatementParams } {
  const { sql: among, params } = amongChecks(distinctChecks(filed))
  return { sql: `${among} AND ${inWindow}`, params: { ...params, ...windowAround(filed) } }
}

type Identified = { readonly id: string; readonly startedAt: number; readonly runLocation: string }

/** Identity of a result: its own id, or else its start and location. */
function identityOf({ account, checkId }: CheckRef, { id, startedAt, runLocation }: Identified): string {
  return JSON.stringify(id === '' ? [account, checkId, startedAt, runLocation] : [account, checkId, id])
}

function isSameRow(stored: Identified, { startedAt, runLocation }: Omit<Identified, 'id'>): boolean {
  return stored.startedAt === startedAt && stored.runLocation === runLocation
}
