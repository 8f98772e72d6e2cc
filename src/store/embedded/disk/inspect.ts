import { allTime } from '../../../calendar/window.ts'
import { dateText, dayOf, startOfDay } from '../../../time.ts'
import { storedResults } from '../../query/parts/results-of.ts'
import type { CheckRef } from '../../store.ts'
import { timesOf } from '../columns/encoded-results.ts'
import { createIndexCheck } from '../write/dedup-sealed.ts'
import { openLatest } from '../write/latest.ts'
import { openArrivals } from './arrivals.ts'
import { openForReading } from './database.ts'
import { verifyDocuments } from './documents.ts'
import { DamagedData, DataFolderError } from './errors.ts'
import { openEvidence } from './evidence.ts'
import { openHot } from './hot.ts'
import { openRegimes } from './regimes.ts'
import { keysPerSeries, openChunkReader, type SealedDay, sealedPart } from './sealed-days.ts'
import { openSeries } from './series.ts'
import { type Database, readSnapshot } from './sqlite.ts'

/** The contents of a data folder for one check. */
export type Holding = CheckRef & {
  readonly hot: number
  readonly sealed: number
  readonly days: number
  readonly chunks: number
  readonly bytes: number
  /** Hot results of days that are already sealed; the next sealing merges them. */
  readonly late: number
  readonly first: number | null
  readonly last: number | null
}

export type Inspection = { readonly holdings: readonly Holding[]; readonly problems: readonly string[] }

/** Reads everything in a data folder from one snapshot, even while a server uses it; reports contents and damage. */
export function inspect(directory: string): Inspection {
  const database = openForReading(directory)
  try {
    return readSnapshot(database, () => {
      const problems = integrityProblems(database)
      return problems.length > 0 ? { holdings: [], problems } : inspectSeries(database)
    })
  } catch (error) {
    if (error instanceof DataFolderError || !(error instanceof Error)) throw error
    return { holdings: [], problems: [error.message] }
  } finally {
    database.close()
  }
}

function integrityProblems(database: Database): string[] {
  const rows: readonly { integrity_check: string }[] = database.prepare('PRAGMA integrity_check(20)').all()
  return rows.map((row) => row.integrity_check).filter((words) => words !== 'ok')
}

function inspectSeries(database: Database): Inspection {
  const problems: string[] = []
  const attempt: Attempt = (work, place) => {
    try {
      work()
    } catch (error) {
      if (!(error instanceof Error)) throw error
      problems.push(problemText(error, place))
    }
  }
  const series: readonly Series[] = database
    .prepare('SELECT key, account, checkId, edition, segments, days FROM series ORDER BY account, checkId')
    .all()
  attempt(() => strayRows(database), 'The whole folder')
  attempt(() => void openLatest(database, openSeries(database).checkOf), 'The whole folder')
  attempt(() => verifyDocuments(database), 'Data written over the API')
  const holdings = series.map((one) => inspectOne(database, one, attempt))
  return { holdings, problems }
}

type Attempt = (work: () => void, place: string) => void

function problemText(error: Error, place: string): string {
  if (!(error instanceof DamagedData)) return `${place}: ${error.message}`
  return `${place}: ${error.finding ?? error.message.replace(' Run: tidemark doctor', '').replace(/\.$/, '')}.`
}

/** Rows that belong to no check would never be read. */
function strayRows(database: Database): void {
  for (const [table, series] of [
    ['hot', 'series'],
    ['day', 'series'],
    ['regime', 'series'],
    ['evidence', 'series'],
    ['arrival', 'series'],
    ['chunk', `key / ${keysPerSeries}`],
  ]) {
    const { stray } = database.prepare(`SELECT count(*) AS stray FROM ${table} WHERE ${series} NOT IN (SELECT key FROM series)`).get()
    if (stray > 0) throw new DamagedData(`${stray} rows of the table ${table} belong to no check`)
  }
}

type Series = CheckRef & { readonly key: number; readonly segments: number; readonly days: number }

function inspectOne(database: Database, series: Series, attempt: Attempt): Holding {
  const { key, account, checkId } = series
  const place = `Check ${checkId} of ${account}`
  const check = { account, checkId }
  const times: number[] = []
  const days: SealedDay[] = []
  attempt(() => {
    const segments = openHot(database).of(key)
    for (const { columns } of segments) for (const time of timesOf(columns)) times.push(time)
    if (segments.length !== series.segments) throw new DamagedData('some unsealed results are missing')
    const { counted } = database.prepare('SELECT total(results) AS counted FROM hot WHERE series = ?').get(key)
    if (counted !== times.length) throw new DamagedData('the number of unsealed results is damaged')
  }, place)
  attempt(() => {
    days.push(...openChunkReader(database).days(key, dayOf(allTime.from), dayOf(allTime.to)))
    if (days.length !== series.days) throw new DamagedData('some sealed days are missing')
  }, place)
  for (const day of days) attempt(() => verifyDay(database, key, day), `${place}, ${dateText(day.day)}`)
  attempt(() => void openRegimes(database)(check), place)
  attempt(() => openEvidence(database).verifyAll(key), place)
  attempt(() => void openArrivals(database).of(key), place)
  const { chunks, bytes } = database
    .prepare('SELECT count(*) AS chunks, total(length(bytes)) AS bytes FROM chunk WHERE key BETWEEN ? AND ?')
    .get(key * keysPerSeries, (key + 1) * keysPerSeries - 1)
  const sealedDays = new Set(days.map(({ day }) => day))
  const late = times.filter((time) => sealedDays.has(dayOf(time))).length
  const sealed = days.reduce((total, day) => total + day.results, 0)
  return { ...check, hot: times.length, sealed, days: days.length, chunks, bytes, late, ...spanOf(times, days) }
}

/** Verifies each column and reads every result, as questions would. */
function verifyDay(database: Database, key: number, sealed: SealedDay): void {
  const part = sealedPart(sealed, allTime, openChunkReader(database).dayByDay(key))
  const results = storedResults(
    part,
    Array.from({ length: part.count }, (_, row) => row),
  )
  const misplaced = results.find(({ startedAt }) => dayOf(startedAt) !== sealed.day)
  if (misplaced) throw new DamagedData('a result of another day is stored here')
  if (!createIndexCheck(database)(key, sealed.day, part)) throw new DamagedData('the index of ids is damaged')
}

function spanOf(times: readonly number[], days: readonly SealedDay[]): { first: number | null; last: number | null } {
  const edges = [...days.slice(0, 1), ...days.slice(-1)].map(({ day }) => startOfDay(day))
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const time of [...edges, ...times]) [first, last] = [Math.min(first, time), Math.max(last, time)]
  return first > last ? { first: null, last: null } : { first, last }
}
