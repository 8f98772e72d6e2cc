import { lruCache } from '../../../cache/cache.ts'
import { checkKey } from '../../../ids/check-ref.ts'
import { dayOf, minuteMs, startOfDay } from '../../../time.ts'
import type { NumberedDay } from '../../query/parts/day.ts'
import type { CheckRef, QuestionOptions, Window } from '../../store.ts'
import type { Connection } from '../connection.ts'
import { amongChecks } from './among-checks.ts'
import { columnsByDay, dayWithin, emptyColumns, type LoadedColumns } from './loaded-part.ts'
import type { ColumnSelection, SelectResults } from './select-results.ts'
import { together } from './together.ts'

type DayCacheOptions = {
  readonly connection: Connection
  readonly select: SelectResults
  readonly capacityBytes: number
  readonly monotonic?: () => number
}

/** Reads the results of a window by day. */
export type ReadDays = (
  selection: Omit<ColumnSelection, 'where' | 'params' | 'page'>,
  options?: QuestionOptions,
) => Promise<readonly NumberedDay[]>

type CachedDay = { readonly columns: LoadedColumns; readonly names: ReadonlySet<string>; readonly readAt: number }
/** How many rows were ever stored on each day. */
type StoredCounts = ReadonlyMap<number, number>
type Days = { readonly first: number; readonly last: number }

/** Windows of fewer days change with almost every result. */
const fewestDays = 2
/** Each has a count that is asked for and an entry in the cache, also without results. */
const [mostChecks, mostDaysOfChecks] = [100, 10_000]
/** A server that crashes may have stored results without counting them. */
const maxAgeMs = 10 * minuteMs
const checksPerStatement = 1000
/** Days that have to be read are read together where they are in more pieces than this. */
const mostPieces = 2

/** Whether the days of a question about so many checks are cached. */
export function isCached(window: Window, checks: number): boolean {
  const { first, last } = daysOf(window)
  return last - first >= fewestDays && checks <= mostChecks && checks * (last - first) <= mostDaysOfChecks
}

/**
 * LRU cache of the columns of whole days, bounded by bytes. The server counts the rows that are stored of each check and day, and no count is ever reduced
 * but where results are dropped. So the results of a day are all there when as many were read as are counted, and they are still the same while the count is.
 */
export function createDayCache({ connection, select, capacityBytes, monotonic = () => performance.now() }: DayCacheOptions): ReadDays {
  const cache = lruCache<string, CachedDay>(capacityBytes, sizeOf)
  const countsOf = createStoredCounts(connection)

  function cachedDay(key: string, count: number): CachedDay | null {
    const cached = cache.get(key)
    return cached && cached.columns.count === count && monotonic() - cached.readAt <= maxAgeMs ? cached : null
  }

  function keep(key: string, count: number, columns: readonly string[], loaded: LoadedColumns, readAt: number): void {
    if (loaded.count !== count) return
    const others = cachedDay(key, count)
    cache.set(key, {
      columns: {
        count,
        numbers: new Map([...(others?.columns.numbers ?? []), ...loaded.numbers]),
        texts: new Map([...(others?.columns.texts ?? []), ...loaded.texts]),
      },
      names: new Set([...(others?.names ?? []), ...columns]),
      readAt: Math.min(readAt, others?.readAt ?? readAt),
    })
  }

  return async ({ check, window, columns }, options) => {
    const readAt = monotonic()
    const days = daysOf(window)
    const counts = await countsOf({ check, days }, options?.signal)
    const keyOf = (day: number) => `${checkKey(check)}\n${day}`
    const found = new Map<number, LoadedColumns>()
    const missing: number[] = []
    for (let day = days.first; day <= days.last; day++) {
      const cached = cachedDay(keyOf(day), counts.get(day) ?? 0)
      if (cached && columns.every((name) => cached.names.has(name))) found.set(day, cached.columns)
      else missing.push(day)
    }
    const read = async ({ first, last }: Days) => {
      const loaded = columnsByDay(await select({ check, window: windowOf({ first, last }), columns }, options), columns)
      for (let day = first; day <= last; day++) {
        const own = loaded.get(day) ?? emptyColumns
        found.set(day, own)
        keep(keyOf(day), counts.get(day) ?? 0, columns, own, readAt)
      }
    }
    await Promise.all(piecesOf(missing).map(read))
    return [...found]
      .sort(([a], [b]) => a - b)
      .map(([day, own]) => dayWithin(day, own, window))
      .filter((day) => day.count() > 0)
  }
}

/** The counts of a check on some days. Calls of the same moment share a statement. */
function createStoredCounts(connection: Connection) {
  return together<{ readonly check: CheckRef; readonly days: Days }, StoredCounts>({
    nameOf: ({ days }) => JSON.stringify(days),
    most: checksPerStatement,
    async ask(items, signal) {
      const { sql: among, params } = amongChecks(items.map(({ check }) => check))
      const sql = `SELECT account, checkId, day, sum(results) FROM day_counts WHERE ${among} AND day BETWEEN {from:Int64} AND {to:Int64} GROUP BY account, checkId, day`
      const { first, last } = (items[0] as (typeof items)[number]).days
      const byCheck = new Map(items.map(({ check }) => [checkKey(check), new Map<number, number>()]))
      for (const [account, checkId, day, results] of await connection.rows({ sql, params: { ...params, from: first, to: last } }, signal))
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

const bytesOfEntry = 500

function sizeOf({ columns: { numbers, texts } }: CachedDay): number {
  let bytes = bytesOfEntry
  for (const values of numbers.values()) bytes += values.byteLength
  for (const { dictionary, codes } of texts.values())
    bytes += codes.byteLength + dictionary.reduce((sum, { length }) => sum + 2 * length, 0)
  return bytes
}
