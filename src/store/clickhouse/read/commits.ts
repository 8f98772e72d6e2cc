import { grouped } from '../../../collections/lists.ts'
import { checkKey } from '../../../ids/check-ref.ts'
import { dayMs } from '../../../time.ts'
import { resultsOf } from '../../query/parts/results-of.ts'
import type { CheckRef, Result, SkippedResults, Window } from '../../store.ts'
import type { Connection } from '../connection.ts'
import type { MetricColumns } from '../schema/metric-columns.ts'
import { notVoid } from '../schema/tables.ts'
import { type Arrival, arrivalAt, precedenceOf } from '../write/arrival.ts'
import { distinctChecks } from '../write/known-results.ts'
import { amongChecks } from './among-checks.ts'
import { type LoadedColumns, loadedColumns, textsOf, wholePart } from './loaded-part.ts'
import { inWindow, selectedColumns, wholeResult } from './select-results.ts'
import { urlBatches } from './url-batches.ts'

/** Results of one check that a process stored in one insert. */
export type Commit = {
  readonly key: string
  readonly check: CheckRef
  readonly arrival: Arrival
  /** When its results started. */
  readonly window: Window
  readonly results: number
}

type SkippedByAccount = ReadonlyMap<string, SkippedResults>

export type CommittedResult = { readonly commit: Commit; readonly result: Result }

type CommitQuery = {
  readonly accounts: readonly string[]
  /** Only commits that were stored from this instant on, by the clocks of the storing processes. */
  readonly from: number
  /** Only commits with results that started before this instant. */
  readonly startedBefore: number
  /** At most this many per account: the oldest. */
  readonly limit?: number
}

type StartsQuery = Omit<CommitQuery, 'startedBefore' | 'limit'> & { readonly startedFrom: number }

const resultsPerStatement = 2000
const longestSpanMs = dayMs

/** Reads the log of commits of all processes, which covers the last two hours. */
export function createCommits({ connection, metrics }: { readonly connection: Connection; readonly metrics: MetricColumns }) {
  const { names, sql: wholeColumns } = selectedColumns(metrics, wholeResult(metrics))

  async function readBatch(commits: readonly Commit[], signal?: AbortSignal): Promise<readonly CommittedResult[]> {
    const { sql: among, params } = amongChecks(distinctChecks(commits))
    const precedences = [...new Set(commits.map(({ arrival }) => precedenceOf(arrival).toString()))]
    const sql = `SELECT account, checkId, toString(precedence), ${wholeColumns} FROM results FINAL WHERE ${among} AND ${inWindow} AND ${notVoid} AND toString(precedence) IN {precedences:Array(String)} ORDER BY startedAt, runLocation, id`
    const block = await connection.columns({ sql, params: { ...params, ...spanOf(commits), precedences } }, signal)
    return committedResults(commits, loadedColumns(['account', 'checkId', 'precedence', ...names], block))
  }

  return {
    /** Oldest first. */
    async find({ accounts, from, startedBefore, limit }: CommitQuery, signal?: AbortSignal): Promise<readonly Commit[]> {
      if (accounts.length === 0) return []
      const limited = limit === undefined ? '' : ' LIMIT {limit:UInt64} BY account'
      const sql = `SELECT account, checkId, toString(arrival), firstStart, lastStart, results FROM commits WHERE account IN {accounts:Array(String)} AND arrival >= {from:UInt64} AND firstStart < {startedBefore:Int64} ORDER BY arrival${limited}`
      const params = { accounts, from: arrivalAt(from).toString(), startedBefore, ...(limit !== undefined && { limit }) }
      const found = (await connection.rows({ sql, params }, signal)).map(toCommit)
      return [...new Map(found.map((commit) => [commit.key, commit])).values()]
    },
    /** By check: the earliest start, at or after `startedFrom`, of results stored since `from`. Checks without any are left out. */
    async firstStarts({ accounts, from, startedFrom }: StartsQuery): Promise<ReadonlyMap<string, number>> {
      const sql =
        'SELECT account, checkId, min(greatest(firstStart, {startedFrom:Int64})) FROM commits WHERE account IN {accounts:Array(String)} AND arrival >= {from:UInt64} AND lastStart >= {startedFrom:Int64} GROUP BY account, checkId'
      const rows = await connection.rows({ sql, params: { accounts, from: arrivalAt(from).toString(), startedFrom } })
      return new Map(
        rows.map(([account, checkId, first]) => [checkKey({ account: String(account), checkId: String(checkId) }), Number(first)]),
      )
    },
    /** By account: how many results were stored, and the range of their starts per check. Reads no results. */
    async spans({ accounts, from }: Pick<CommitQuery, 'accounts' | 'from'>, signal?: AbortSignal): Promise<SkippedByAccount> {
      if (accounts.length === 0) return new Map()
      const sql =
        'SELECT account, checkId, min(firstStart), max(lastStart), sum(results) FROM commits WHERE account IN {accounts:Array(String)} AND arrival >= {from:UInt64} GROUP BY account, checkId'
      const rows = await connection.rows({ sql, params: { accounts, from: arrivalAt(from).toString() } }, signal)
      return new Map([...grouped(rows, ([account]) => String(account))].map(([account, own]) => [account, skippedOf(own)]))
    },
    /** The visible results of these commits, in commit order. A result that was stored twice belongs to the first commit. */
    async results(commits: readonly Commit[], signal?: AbortSignal): Promise<readonly CommittedResult[]> {
      const found: CommittedResult[] = []
      for (const batch of batchesOf(commits).flatMap((some) => urlBatches(some, inUrl))) found.push(...(await readBatch(batch, signal)))
      return found.sort((a, b) => Number(a.commit.arrival - b.commit.arrival))
    },
  }
}

function skippedOf(rows: readonly (readonly unknown[])[]): SkippedResults {
  return {
    results: rows.reduce((sum, [, , , , results]) => sum + Number(results), 0),
    byCheck: new Map(rows.map(([, checkId, first, last]) => [String(checkId), { from: Number(first), to: Number(last) }])),
  }
}

function toCommit([account, checkId, arrival, first, last, results]: readonly unknown[]): Commit {
  return {
    key: [account, checkId, arrival, first, last].join('\n'),
    check: { account: String(account), checkId: String(checkId) },
    arrival: BigInt(String(arrival)),
    window: { from: Number(first), to: Number(last) },
    results: Number(results),
  }
}

const inUrl = ({ check, arrival }: Commit) => [check.account, check.checkId, precedenceOf(arrival).toString()]

/** Batches for one statement each: not too many results, and starts not too far apart. */
function batchesOf(commits: readonly Commit[]): readonly (readonly Commit[])[] {
  const batches: Commit[][] = []
  let results = 0
  for (const commit of commits.toSorted((a, b) => a.window.from - b.window.from)) {
    const batch = batches.at(-1)
    const isNear = batch?.[0] && commit.window.to - batch[0].window.from <= longestSpanMs
    results += commit.results
    if (batch && isNear && results <= resultsPerStatement) {
      batch.push(commit)
    } else {
      batches.push([commit])
      results = commit.results
    }
  }
  return batches
}

function spanOf(commits: readonly Commit[]): Window {
  const { from, to } = commits[0]?.window ?? { from: 0, to: 0 }
  return commits.reduce((span, { window }) => ({ from: Math.min(span.from, window.from), to: Math.max(span.to, window.to) }), { from, to })
}

/** The loaded results that belong to one of these commits. */
function committedResults(commits: readonly Commit[], loaded: LoadedColumns): readonly CommittedResult[] {
  const wanted = grouped(commits, ({ check, arrival }) => commitName(check, precedenceOf(arrival).toString()))
  const part = wholePart(loaded)
  const [accounts, checkIds, precedences] = ['account', 'checkId', 'precedence'].map((name) => textsOf(loaded, name))
  const rowsByCommit = grouped(Array(loaded.count).keys(), (row) =>
    commitName({ account: accounts?.(row) ?? '', checkId: checkIds?.(row) ?? '' }, precedences?.(row) ?? ''),
  )
  return [...rowsByCommit].flatMap(([name, rows]) => {
    const own = wanted.get(name) ?? []
    const [first] = own
    if (!first) return []
    return resultsOf(first.check, part, rows).flatMap((result) => {
      const commit = own.find(({ window }) => result.startedAt >= window.from && result.startedAt <= window.to)
      return commit ? [{ commit, result }] : []
    })
  })
}

const commitName = (check: CheckRef, precedence: string) => `${checkKey(check)}\n${precedence}`
