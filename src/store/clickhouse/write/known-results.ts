import { checkKey } from '../../../ids/check-ref.ts'
import { hourMs } from '../../../time.ts'
import type { CheckRef, FiledResult, Window } from '../../store.ts'
import type { Connection, StatementParams } from '../connection.ts'
import { amongChecks } from '../read/among-checks.ts'
import { inWindow } from '../read/select-results.ts'

/** A retry has the same id and start; the same slot that two agents ran has the same id, and starts close to each other. */
const marginMs = hourMs
export const resultsPerStatement = 2000
/** To send the ids of more results costs more than to ask first whether anything is stored near them. */
const manyResults = 100

/** What makes a row of a result, apart from what it measured. */
export type StoredKey = { readonly check: CheckRef } & Identified

/** Results that need not be added: indexes, ascending. */
export type KnownResults = {
  /** They are stored already, or repeat an earlier one among them. */
  readonly duplicates: readonly number[]
  /** Those of them that are stored with the same start and location, so that storing them again changes nothing. */
  readonly repeatable: readonly number[]
  /** The rows of the others that are stored, which have the same id and another start or location. */
  readonly elsewhere: readonly StoredKey[]
}

export async function knownAmong(connection: Connection, filed: readonly FiledResult[]): Promise<KnownResults> {
  const stored = new Map<string, StoredKey>()
  for (let from = 0; from < filed.length; from += resultsPerStatement) {
    const some = filed.slice(from, from + resultsPerStatement)
    if (some.length > manyResults && !(await hasAny(connection, some))) continue
    for (const [name, found] of await storedAmong(connection, some)) stored.set(name, found)
  }
  const seen = new Set<string>()
  const [duplicates, repeatable, elsewhere]: [number[], number[], StoredKey[]] = [[], [], []]
  for (const [i, { check, result }] of filed.entries()) {
    const name = identityOf(check, { ...result, id: result.id ?? '' })
    const found = stored.get(name)
    if (found || seen.has(name)) duplicates.push(i)
    if (found && !seen.has(name)) {
      if (isSameRow(found, result)) repeatable.push(i)
      else elsewhere.push(found)
    }
    seen.add(name)
  }
  return { duplicates, repeatable, elsewhere }
}

async function storedAmong(
  connection: Connection,
  filed: readonly FiledResult[],
): Promise<readonly (readonly [name: string, found: StoredKey])[]> {
  const derived = filed.filter(({ result }) => result.id === null).map(({ result }) => result.startedAt)
  const ids = filed.flatMap(({ result }) => result.id ?? [])
  const { sql: near, params } = around(filed)
  const sql = `SELECT account, checkId, id, startedAt, runLocation FROM results WHERE ${near} AND (id IN {ids:Array(String)} OR (id = '' AND startedAt IN {derived:Array(Int64)}))`
  const rows = await connection.rows({ sql, params: { ...params, ids, derived: [...new Set(derived)] } })
  return rows.map(([account, checkId, id, startedAt, runLocation]) => {
    const check = { account: String(account), checkId: String(checkId) }
    const found = { check, id: String(id), startedAt: Number(startedAt), runLocation: String(runLocation) }
    return [identityOf(check, found), found]
  })
}

/** New results and long histories mostly come to where nothing is stored: then their ids need not be sent. */
async function hasAny(connection: Connection, filed: readonly FiledResult[]): Promise<boolean> {
  const { sql, params } = around(filed)
  const [row] = await connection.rows({ sql: `SELECT startedAt FROM results WHERE ${sql} LIMIT 1`, params })
  return row !== undefined
}

export function distinctChecks(of: readonly { readonly check: CheckRef }[]): readonly CheckRef[] {
  return [...new Map(of.map(({ check }) => [checkKey(check), check])).values()]
}

/** When results with the same ids may have started; a derived id means the same start. */
export function windowAround(filed: readonly FiledResult[]): Window {
  const { from, to } = startedWindow(filed.map(({ result }) => result))
  const margin = filed.some(({ result }) => result.id !== null) ? marginMs : 0
  return { from: from - margin, to: to + margin }
}

/** From the first start to the last. */
export function startedWindow(started: readonly { readonly startedAt: number }[]): Window {
  const times = started.map(({ startedAt }) => startedAt)
  return { from: Math.min(...times), to: Math.max(...times) }
}

/** The condition that a row is of one of these checks, and near their results in time. */
function around(filed: readonly FiledResult[]): { readonly sql: string; readonly params: StatementParams } {
  const { sql: among, params } = amongChecks(distinctChecks(filed))
  return { sql: `${among} AND ${inWindow}`, params: { ...params, ...windowAround(filed) } }
}

type Identified = { readonly id: string; readonly startedAt: number; readonly runLocation: string }

/** What makes a result the same: its own id, or else when and where it ran. */
function identityOf({ account, checkId }: CheckRef, { id, startedAt, runLocation }: Identified): string {
  return JSON.stringify(id === '' ? [account, checkId, startedAt, runLocation] : [account, checkId, id])
}

function isSameRow(stored: Identified, { startedAt, runLocation }: Omit<Identified, 'id'>): boolean {
  return stored.startedAt === startedAt && stored.runLocation === runLocation
}
