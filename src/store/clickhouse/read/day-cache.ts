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

/** The columns of a check's results that a question needs. */
type Wanted = { readonly check: CheckRef; readonly columns: readonly string[] }

export type ReadDays = (wanted: readonly Wanted[], window: Window, options?: QuestionOptions) => Promise<ReadResults>
type ReadResults = {
  /** One list per check. */
  readonly days: readonly (readonly NumberedDay[])[]
  /** Indexes of checks most of whose results could not be cached: stored twice, or stored before rows were counted. */
  readonly uncacheable: readonly number[]
  /** Whether most results were read from the server instead of found in the cache. */
  readonly isRead: boolean
}

type ReadDay = { readonly loaded: LoadedColumns; readonly readAt: number }
type CachedDay = { readonly columns: LoadedColumns; readonly names: ReadonlySet<string>; readonly readAt: number }
/** By day: how many rows were ever stored. */
type StoredCounts = ReadonlyMap<number, number>
type Days = { readonly first: number; readonly last: number }
/** The cached days of a check, and the days that must be read. */
type Lookup = Wanted & { readonly counts: StoredCounts; readonly found: Map<number, LoadedColumns>; readonly missing: readonly number[] }

/** Windows of fewer days change with almost every result. */
const fewestDays = 2
/** Each day of a check needs a count from the server and a cache entry, even without results. */
const [mostChecks, mostDaysOfChecks] = [100, 10_000]
/** A row may be stored although its count fails, and then a stale day looks current. */
const maxAgeMs = 10 * minuteMs
const checksPerStatement = 1000
/** Missing days in more pieces than this, per check and per question, are read as one range. */
const [mostPieces, mostPiecesOfAll] = [2, 4]

/** Whether a question with this window and number of checks uses the cache. */
export function isCached(window: Window, checks: number): boolean {
  const { first, last } = daysOf(window)
  return last - first >= fewestDays && checks <= mostChecks && checks * (last - first) <= mostDaysOfChecks
}

/**
 * LRU cache of the columns of whole days, bounded by bytes, with a fair share for each account. The server counts the rows stored per check
 * and day, and a count falls only when results are dropped. So a day is complete if as many results were read as rows are counted, and it
 * is unchanged while that count is.
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

  /** Caches a day; false if rows are missing or stored twice. */
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

export const countIn = (days: readonly (readonly NumberedDay[])[]) => days.flat().reduce((sum, day) => sum + day.count(), 0)

function hasSameTimes(one: LoadedColumns, other: LoadedColumns): boolean {
  const [times, others] = [one, other].map(({ numbers }) => numbers.get('time') ?? new Float64Array()) as [Float64Array, Float64Array]
  return times.length === others.length && times.every((time, row) => time === others[row])
}

/** Row counts of a check by day. Calls of the same event loop turn share a statement. */
function createStoredCounts({ connection, settings }: Pick<DayCacheOptions, 'connection' | 'settings'>) {
  return together<{ readonly check: CheckRef; readonly days: Days }, StoredCounts>({
    nameOf: ({ days }) => JSON.stringify(days),
    most: checksPerStatement,
    async ask(items, signal) {
      const [{ check: firstCheck, days }] = items as [(typeof items)[number]]
      const isOne = items.length === 1
      const { sql: among, params } = isOne ? { sql: ofCheck, params: firstCheck } : amongChecks(items.map(({ check }) => check))
      // For a single check, the server answers faster without the check in the key.
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

/** Ranges of consecutive days; one range from first to last if there are too many. */
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

/** The ranges to read per check. Equal ranges share a statement, so too many different ones are replaced by one range for all. */
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
