import { sharedCache } from '../../../cache/shared-cache.ts'
import { checkKey } from '../../../ids/check-ref.ts'
import { dayOf, minuteMs, startOfDay } from '../../../time.ts'
import type { NumberedDay } from '../../query/parts/day.ts'
import type { CheckRef, QuestionOptions, Window } from '../../store.ts'
import type { Connection, StatementSettings } from '../connection.ts'
import { amongChecks } from './among-checks.ts'
import { columnsByDay, dayWithin, emptyColumns, type LoadedColumns } from './loaded-part.ts'
import { ofCheck, type SelectResults } from './select-results.ts'
import { together } from './together.ts'

type DayCacheOptions = {
  readonly connection: Connection
  readonly select: SelectResults
  /** For statements about one check. */
  readonly settings: StatementSettings
  readonly capacityBytes: number
  readonly monotonic?: () => number
}

/** Results of a check that a question needs. */
type Wanted = { readonly check: CheckRef; readonly columns: readonly string[] }

/** Reads the results of checks in a window, by day. */
export type ReadDays = (wanted: readonly Wanted[], window: Window, options?: QuestionOptions) => Promise<ReadResults>
type ReadResults = {
  /** Of each check. */
  readonly days: readonly (readonly NumberedDay[])[]
  /** The indexes of those most of whose results could not be cached: they are stored twice, or were before rows were counted. */
  readonly uncacheable: readonly number[]
  /** Whether most results were read rather than found. */
  readonly isRead: boolean
}

type ReadDay = { readonly loaded: LoadedColumns; readonly readAt: number }
type CachedDay = { readonly columns: LoadedColumns; readonly names: ReadonlySet<string>; readonly readAt: number }
/** How many rows were ever stored on each day. */
type StoredCounts = ReadonlyMap<number, number>
type Days = { readonly first: number; readonly last: number }
/** The days of a check that are cached, and those that have to be read. */
type Lookup = Wanted & { readonly counts: StoredCounts; readonly found: Map<number, LoadedColumns>; readonly missing: readonly number[] }

/** Windows of fewer days change with almost every result. */
const fewestDays = 2
/** Each has a count that is asked for and an entry in the cache, also without results. */
const [mostChecks, mostDaysOfChecks] = [100, 10_000]
/** A result may be stored and its count fail. */
const maxAgeMs = 10 * minuteMs
const checksPerStatement = 1000
/** Days that have to be read are read together where they are in more pieces than this, of a check and of all checks of a question. */
const [mostPieces, mostPiecesOfAll] = [2, 4]

/** Whether the days of a question about this many checks are cached. */
export function isCached(window: Window, checks: number): boolean {
  const { first, last } = daysOf(window)
  return last - first >= fewestDays && checks <= mostChecks && checks * (last - first) <= mostDaysOfChecks
}

/**
 * LRU cache of the columns of whole days, bounded by bytes, of which each account has a share. The server counts the rows that are stored of each check and day, and no count is ever reduced
 * but where results are dropped. So the results of a day are all there when as many were read as are counted, and they are still the same while the count is.
 */
export function createDayCache({
  connection,
  select,
  settings,
  capacityBytes,
  monotonic = () => performance.now(),
}: DayCacheOptions): ReadDays {
  const cache = sharedCache<CachedDay>(capacityBytes, sizeOf)
  const countsOf = createStoredCounts({ connection, settings })
  const keyOf = (check: CheckRef, day: number) => `${checkKey(check)}\n${day}`

  function cachedDay(key: string, count: number): CachedDay | null {
    const cached = cache.get(key)
    return cached && cached.columns.count === count && monotonic() - cached.readAt <= maxAgeMs ? cached : null
  }

  /** False where not all of its rows are there, or some are there twice. */
  function keep({ check, columns, counts }: Wanted & { readonly counts: StoredCounts }, day: number, { loaded, readAt }: ReadDay): boolean {
    const [key, count] = [keyOf(check, day), counts.get(day) ?? 0]
    if (loaded.count !== count) return false
    const known = cachedDay(key, count)
    const others = known && hasSameTimes(known.columns, loaded) ? known : null
    const kept: CachedDay = {
      columns: {
        count,
        numbers: new Map([...(others?.columns.numbers ?? []), ...loaded.numbers]),
        texts: new Map([...(others?.columns.texts ?? []), ...loaded.texts]),
      },
      names: new Set([...(others?.names ?? []), ...columns]),
      readAt: Math.min(readAt, others?.readAt ?? readAt),
    }
    cache.set(key, kept, check.account)
    return true
  }

  async function lookUp({ check, columns }: Wanted, days: Days, signal?: AbortSignal): Promise<Lookup> {
    const counts = await countsOf({ check, days }, signal)
    const found = new Map<number, LoadedColumns>()
    const missing: number[] = []
    for (let day = days.first; day <= days.last; day++) {
      const cached = cachedDay(keyOf(check, day), counts.get(day) ?? 0)
      if (cached && columns.every((name) => cached.names.has(name))) found.set(day, cached.columns)
      else missing.push(day)
    }
    return { check, columns, counts, found, missing }
  }

  return async (wanted, window, options) => {
    const readAt = monotonic()
    const lookups = await Promise.all(wanted.map((one) => lookUp(one, daysOf(window), options?.signal)))
    const uncacheable = lookups.map(() => 0)
    let readResults = 0
    const read = async ({ found, ...lookup }: Lookup, i: number, { first, last }: Days) => {
      const { check, columns } = lookup
      const byDay = columnsByDay(await select({ check, window: windowOf({ first, last }), columns }, options), columns)
      for (let day = first; day <= last; day++) {
        const loaded = byDay.get(day) ?? emptyColumns
        found.set(day, loaded)
        readResults += loaded.count
        if (!keep(lookup, day, { loaded, readAt })) uncacheable[i] = (uncacheable[i] ?? 0) + loaded.count
      }
    }
    const pieces = piecesOfAll(lookups.map(({ missing }) => missing))
    await Promise.all(lookups.flatMap((lookup, i) => (pieces[i] ?? []).map((days) => read(lookup, i, days))))
    const days = lookups.map(({ found }) =>
      [...found]
        .sort(([a], [b]) => a - b)
        .map(([day, columns]) => dayWithin(day, columns, window))
        .filter((day) => day.count() > 0),
    )
    return {
      days,
      uncacheable: [...days.keys()].filter((i) => (uncacheable[i] ?? 0) > countIn([days[i] ?? []]) / 2),
      isRead: readResults > countIn(days) / 2,
    }
  }
}

/** How many results are on the days of all checks. */
export const countIn = (days: readonly (readonly NumberedDay[])[]) => days.flat().reduce((sum, day) => sum + day.count(), 0)

function hasSameTimes(one: LoadedColumns, other: LoadedColumns): boolean {
  const [times, others] = [one, other].map(({ numbers }) => numbers.get('time') ?? new Float64Array()) as [Float64Array, Float64Array]
  return times.length === others.length && times.every((time, row) => time === others[row])
}

/** The counts of a check on some days. Calls of the same moment share a statement. */
function createStoredCounts({ connection, settings }: Pick<DayCacheOptions, 'connection' | 'settings'>) {
  return together<{ readonly check: CheckRef; readonly days: Days }, StoredCounts>({
    nameOf: ({ days }) => JSON.stringify(days),
    most: checksPerStatement,
    async ask(items, signal) {
      const [{ check: firstCheck, days }] = items as [(typeof items)[number]]
      const isOne = items.length === 1
      const { sql: among, params } = isOne ? { sql: ofCheck, params: firstCheck } : amongChecks(items.map(({ check }) => check))
      // Of one check, the server answers sooner without its key.
      const key = isOne ? 'day' : 'account, checkId, day'
      const sql = `SELECT ${key}, sum(results) FROM day_counts WHERE ${among} AND day BETWEEN {from:Int64} AND {to:Int64} GROUP BY ${key}`
      const rows = await connection.rows(
        { sql, params: { ...params, from: days.first, to: days.last }, ...(isOne && { settings }) },
        signal,
      )
      if (isOne) return [new Map(rows.map(([day, results]) => [Number(day), Number(results)]))]
      const byCheck = new Map(items.map(({ check }) => [checkKey(check), new Map<number, number>()]))
      for (const [account, checkId, day, results] of rows)
        byCheck.get(checkKey({ account: String(account), checkId: String(checkId) }))?.set(Number(day), Number(results))
      return items.map(({ check }) => byCheck.get(checkKey(check)) ?? new Map())
    },
  })
}

const daysOf = ({ from, to }: Window): Days => ({ first: dayOf(from), last: dayOf(to) })
const windowOf = ({ first, last }: Days): Window => ({ from: startOfDay(first), to: startOfDay(last + 1) - 1 })

/** Days that follow each other; all between the first and the last where they are in too many pieces. */
function piecesOf(days: readonly number[]): readonly Days[] {
  const pieces: { first: number; last: number }[] = []
  for (const day of days) {
    const piece = pieces.at(-1)
    if (piece?.last === day - 1) piece.last = day
    else pieces.push({ first: day, last: day })
  }
  const [first, last] = [pieces[0], pieces.at(-1)]
  return first && last && pieces.length > mostPieces ? [{ first: first.first, last: last.last }] : pieces
}

/** The pieces of each check. Equal ones are read with one statement, so that many different ones become one of all. */
function piecesOfAll(missing: readonly (readonly number[])[]): readonly (readonly Days[])[] {
  const pieces = missing.map(piecesOf)
  const distinct = new Set(pieces.flat().map(({ first, last }) => `${first} ${last}`))
  if (distinct.size <= mostPiecesOfAll) return pieces
  const all = pieces.flat()
  const whole = { first: Math.min(...all.map(({ first }) => first)), last: Math.max(...all.map(({ last }) => last)) }
  return pieces.map((own) => (own.length > 0 ? [whole] : []))
}

const [bytesOfEntry, bytesOfText] = [500, 40]

function sizeOf({ columns: { numbers, texts } }: CachedDay): number {
  let bytes = bytesOfEntry
  for (const values of numbers.values()) bytes += values.byteLength
  for (const { dictionary, codes } of texts.values())
    bytes += codes.byteLength + dictionary.reduce((sum, { length }) => sum + bytesOfText + 2 * length, 0)
  return bytes
}
