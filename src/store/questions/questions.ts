import type { QuestionKind, StoreStats } from '../../stats/server-stats.ts'
import {
  affordable,
  aggregateCost,
  type CountResults,
  characterCost,
  cheapCost,
  checkStateRows,
  failureColumns,
  failuresCost,
  isBounded,
  pageCost,
  rawCost,
  resultCost,
  resultsCost,
  stateColumns,
  statesCost,
  summaryCost,
  totalsCost,
  unsortedCost,
} from '../admission/cost.ts'
import type { BoundedFailuresQuery, FailuresQuery } from '../failures/failures.ts'
import { createFailureMerge } from '../failures/merge.ts'
import { aggregate } from '../query/aggregate.ts'
import { createScratchBuffer } from '../query/grid/partition.ts'
import { firstOutages, type OutagesInSlice } from '../query/outages/found-outages.ts'
import { newestOutages } from '../query/outages/newest-outages.ts'
import { addTotals } from '../query/outages/outage-totals.ts'
import type { AnswerPath, ReadAggregateQuery, Reader, ScanQuery } from '../query/question-reader.ts'
import type { StoredTotals } from '../query/stored-totals.ts'
import type { FoundOutage } from '../state-questions.ts'
import type { AggregateQuery, CheckRef, CheckSource, QuestionOptions, Result, Store, Window } from '../store.ts'
import type { CallOptions, WorkerHandle } from '../threads/worker.ts'
import type { TotalsQuery } from '../totals.ts'
import { batchCalls, type CallSizes, equalCalls, inGroups, mergeAnswers, type PackedAnswer, splitBySource } from './calls.ts'

type QuestionNames = 'aggregate' | 'states' | 'outages' | 'outageTotals' | 'failures' | 'raw' | 'results' | 'result' | 'scan'

type Questions = Pick<Store, QuestionNames> & {
  /** Counts the results of a check that started in a window. */
  totals(query: TotalsQuery, options?: QuestionOptions): Promise<StoredTotals>
}

/** Chooses how aggregated questions are answered. */
export type AnswerPaths = {
  of(query: AggregateQuery): AnswerPath | Promise<AnswerPath>
  /** The cost of a query that is answered from cached days; lower if these are known to be cached. */
  cachedCost(query: AggregateQuery, count: CountResults): Promise<number>
  /** Records how a query for cached days of these sources was answered. */
  noteCached(sources: readonly CheckSource[], answer: Pick<PackedAnswer, 'uncacheable' | 'isRead'>): void
}

type QuestionsOptions = {
  readonly readers: WorkerHandle<Reader>
  readonly count: CountResults
  /** By default, columns are read. */
  readonly paths?: AnswerPaths
  /** Number of results of a check that are sorted for every page. */
  readonly unsorted?: (check: CheckRef) => number
  readonly callSizes?: CallSizes
  /** Up to this cost, outages are searched in the whole window at once, otherwise slice by slice. */
  readonly wholeWindowCost?: number
  readonly maxQuestionCost: number
  /** Results of a scan held in memory at a time. */
  readonly scanSize: number
}

/** Checks that a question is affordable, sends its parts to the readers, and merges their answers. */
export function createQuestions(options: QuestionsOptions): Questions {
  const { readers, count, paths, unsorted = () => 0, maxQuestionCost, scanSize } = options
  const { callSizes = equalCalls, wholeWindowCost = 0 } = options
  const ask = async <Query, Answer>(
    parts: readonly Query[],
    costOf: (part: Query, count: CountResults) => Promise<number>,
    call: (part: Query, options: CallOptions) => Promise<Answer>,
    options?: QuestionOptions,
  ): Promise<readonly Answer[]> => {
    options?.signal?.throwIfAborted()
    const costs = await Promise.all(parts.map((part) => costOf(part, count)))
    const questionCost = affordable(
      costs.reduce((sum, cost) => sum + cost, 0),
      maxQuestionCost,
    )
    return batchCalls([...parts.entries()], ([i, part]) => call(part, { cost: costs[i] ?? 0, questionCost, ...options }))
  }
  /** Splits a query by source, so that readers can answer the parts in parallel. */
  const splitSources = async <Q extends { readonly sources: readonly unknown[]; readonly window: Window }>(
    query: Q,
    checks: readonly CheckRef[],
    columns = stateColumns,
  ): Promise<readonly Q[]> =>
    inGroups(query.sources, await callSizes(checks, query.window, { usual: sourcesPerCall, columns })).map((sources) => ({
      ...query,
      sources,
    }))

  /** Costs that grow with the window already include unsorted results. */
  const pageCostOf: typeof rawCost = async (query, count) =>
    (await rawCost(query, count)) + (isBounded(query) ? unsortedCost(unsorted(query.check)) : 0)
  const resultsCostOf: typeof resultsCost = async (query, count) => (await resultsCost(query, count)) + unsortedCost(unsorted(query.check))
  const resultCostOf: typeof resultCost = async (query, count) => (await resultCost(query, count)) + unsortedCost(unsorted(query.check))

  return {
    aggregate: async (query, options) => {
      if (query.sources.length === 0) return aggregate(query, [], { values: createScratchBuffer(), partitioned: createScratchBuffer() })
      const call = (part: ReadAggregateQuery, own: CallOptions) => readers.call('aggregate', [part], own)
      const path = (await paths?.of(query)) ?? 'columns'
      const [summary] = path === 'summary' ? await ask([{ ...query, path }], summaryCost, call, options) : []
      if (summary && !summary.isInexact) return mergeAnswers(query, [summary])
      const cached = path === 'cached days' ? paths : undefined
      const parts = (await splitBySource(query, callSizes)).map((part) => ({ ...part, path: cached ? path : 'columns' }) as const)
      const answers = await ask(parts, cached?.cachedCost ?? aggregateCost, call, options)
      for (const [i, { sources }] of parts.entries()) cached?.noteCached(sources, answers[i] ?? {})
      return mergeAnswers(query, answers)
    },
    raw: async (query, options) => {
      const [answer = []] = await ask([query], pageCostOf, (part, own) => readers.call('raw', [part], own), options)
      return answer
    },
    results: async (query, options) => {
      const [answer = []] = await ask([query], resultsCostOf, (part, own) => readers.call('results', [part], own), options)
      return answer
    },
    result: async (query, options) => {
      const [answer = null] = await ask([query], resultCostOf, (part, own) => readers.call('result', [part], own), options)
      return answer
    },
    states: async (query, options) => {
      let rows = 0
      const call = async (part: typeof query, own: CallOptions) => {
        const states = await readers.call('states', [part], own)
        for (const { groups } of states) rows += groups.length * query.rows.length
        checkStateRows(rows)
        return states
      }
      checkStateRows(query.sources.length * query.rows.length)
      const answers = await ask(await splitSources(query, query.sources.map(checkOf)), statesCost, call, options)
      return answers.flat()
    },
    outages: async (query, options) => {
      const isAtOnce = wholeWindowCost > 0 && (await statesCost(query, count)) <= wholeWindowCost
      const find = async (slice: OutagesInSlice) => {
        const parts = await splitSources(slice, slice.sources.map(checkOf))
        let first: readonly FoundOutage[] = []
        const call = async (part: OutagesInSlice, own: CallOptions) => {
          const found = await readers.call('outages', [part], own)
          if (found.length > 0) first = firstOutages([...first, ...found], slice.limit)
        }
        await ask(parts, statesCost, call, options)
        return first
      }
      return newestOutages(query, find, isAtOnce ? Number.POSITIVE_INFINITY : undefined)
    },
    outageTotals: async (query, options) => {
      const parts = await splitSources(query, query.sources.map(checkOf))
      return addTotals(await ask(parts, statesCost, (part, own) => readers.call('outageTotals', [part], own), options))
    },
    failures: async (query, options) => {
      const merge = createFailureMerge()
      const call = async (part: BoundedFailuresQuery, own: CallOptions) => {
        const answer = await readers.call('failures', [part], own)
        if ('groups' in answer) await merge.addInTurns(answer.groups)
        return 'groups' in answer ? null : answer.characters
      }
      const parts = await splitSources(query, query.sources, failureColumns)
      const cheap = { maxCharacters: Math.floor(cheapCost / characterCost / Math.max(1, parts.length)) }
      const answers = await ask(
        parts.map((part) => ({ ...part, ...cheap })),
        failuresCost,
        call,
        options,
      )
      const long = parts.flatMap((part, i) => longPart(part, answers[i]))
      const costOfLong = async (part: LongPart, of: CountResults) => (await failuresCost(part, of)) + part.characters * characterCost
      const most = { maxCharacters: maxQuestionCost / characterCost }
      await ask(long, costOfLong, (part, own) => call({ ...part, ...most }, own), options)
      return merge.allInTurns()
    },
    scan: (check, window, options) =>
      scanPages(readers, { check, window, limit: scanSize }, { ...options, extraCost: unsortedCost(unsorted(check)) }),
    totals: async (query, options) => readers.call('totals', [query], { ...options, cost: await totalsCost(query, count) }),
  }
}

type Offered = {
  readonly stats: StoreStats
  /** Throws if the store is closed. */
  readonly requireOpen: () => void
}

/** Wraps the questions of a store: they throw if it is closed, and their duration is measured. */
export function offerQuestions(questions: Pick<Store, QuestionNames>, { stats, requireOpen }: Offered): Pick<Store, QuestionNames> {
  const timed =
    <Args extends readonly unknown[], Answer>(kind: QuestionKind, ask: (...args: Args) => Promise<Answer>) =>
    (...args: Args) =>
      stats.questions[kind].time(async () => {
        requireOpen()
        return ask(...args)
      })
  return {
    aggregate: timed('aggregate', questions.aggregate),
    states: timed('states', questions.states),
    outages: timed('outages', questions.outages),
    outageTotals: timed('outages', questions.outageTotals),
    failures: timed('failures', questions.failures),
    raw: timed('raw', questions.raw),
    results: timed('results', questions.results),
    result: timed('result', questions.result),
    async *scan(check, window, options) {
      requireOpen()
      yield* questions.scan(check, window, options)
    },
  }
}

/** Whole results, oldest first, page by page. */
export async function* scanPages(
  readers: WorkerHandle<Reader>,
  query: Omit<ScanQuery, 'after'>,
  { extraCost = 0, ...options }: QuestionOptions & { readonly extraCost?: number } = {},
): AsyncGenerator<readonly Result[]> {
  let after: Result | null = null
  const cost = pageCost(query.limit) + extraCost
  for (;;) {
    const page: readonly Result[] = await readers.call('scan', [{ ...query, after }], { ...options, cost })
    if (page.length > 0) yield page
    if (page.length < query.limit) return
    after = page.at(-1) ?? null
  }
}

type LongPart = FailuresQuery & { readonly characters: number }

/** The part, if its errors have more characters than a cheap question may have. */
function longPart(part: FailuresQuery, characters: number | null | undefined): readonly LongPart[] {
  return typeof characters === 'number' ? [{ ...part, characters }] : []
}

/** Checks per call to a reader: fewer would cost more calls, more would leave other readers idle. */
const sourcesPerCall = 5

const checkOf = ({ check }: { readonly check: CheckRef }) => check
