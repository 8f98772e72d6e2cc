import { isBounded, needsCounts } from '../../admission/cost.ts'
import type { BoundedFailures, BoundedFailuresQuery } from '../../failures/failures.ts'
import { groupFailures } from '../../failures/group.ts'
import { aggregate } from '../../query/aggregate.ts'
import { createScratchBuffer } from '../../query/grid/partition.ts'
import { foundOutages, type OutagesInSlice } from '../../query/outages/found-outages.ts'
import { addTotals, outageTotals } from '../../query/outages/outage-totals.ts'
import { stateResults } from '../../query/outages/state-results.ts'
import type { DayReader } from '../../query/parts/day.ts'
import { reorderedPart } from '../../query/parts/merged-part.ts'
import { columnOf } from '../../query/parts/part.ts'
import { resultsOf } from '../../query/parts/results-of.ts'
import { toStoredPosition } from '../../query/parts/stored-result.ts'
import type { ReadAggregateQuery, Reader, ScanQuery } from '../../query/question-reader.ts'
import { raw } from '../../query/raw.ts'
import { type StoredTotals, totalsOf } from '../../query/stored-totals.ts'
import { type PackedAnswer, packAnswer } from '../../questions/calls.ts'
import type { CheckStates, FoundOutage, OutageTotals, OutageTotalsQuery, StateSource, StatesQuery } from '../../state-questions.ts'
import {
  type AggregateAnswer,
  type AggregateQuery,
  type CheckRef,
  type CheckSource,
  type Grouping,
  type Position,
  QueryTooLarge,
  type QuestionOptions,
  type RawGroup,
  type RawQuery,
  type Result,
  type ResultFilter,
  type ResultsQuery,
} from '../../store.ts'
import { sweepStates } from '../../timeline/check-states.ts'
import type { Regime } from '../../timeline/regime.ts'
import type { TotalsQuery } from '../../totals.ts'
import type { MetricColumns } from '../schema/metric-columns.ts'
import { countIn, type ReadDays } from './day-cache.ts'
import { type LoadedColumns, loadedDays, wholePart } from './loaded-part.ts'
import { type Loaded, replay } from './replay.ts'
import { type ColumnSelection, type SelectResults, wholeResult } from './select-results.ts'

type ReaderOptions = {
  readonly select: SelectResults
  /** Reads days through the cache. */
  readonly readCached: ReadDays
  /** Has the server summarize results; null if it turns out that it cannot. */
  readonly summarize: (query: AggregateQuery, options?: QuestionOptions) => Promise<AggregateAnswer | null>
  readonly metrics: MetricColumns
  /** The start of a check's first result; null without results. */
  readonly firstStart: (check: CheckRef, options?: QuestionOptions) => Promise<number | null>
  /** In the order of the checks. */
  readonly regimesOf: (checks: readonly CheckRef[], options?: QuestionOptions) => Promise<readonly (readonly Regime[])[]>
  /** Limit over all checks of a question. */
  readonly maxResults?: number
  /** Called regularly while an answer is computed; may throw to cancel it. */
  readonly checkpoint?: () => void
}

/** A reader of results, except for the lookup by id. */
export type ResultReader = ReturnType<typeof createReader>

const countedColumns = ['time', 'location', 'flags', 'attempts']
const failureColumns = ['time', 'location', 'flags', 'error', 'id']
const failingOnly = ['bitAnd(flags, 1) = 1']

/** Answers questions: the server filters, orders and sends columns, and the kernels of all stores compute the figures. */
export function createReader(options: ReaderOptions) {
  const { select, readCached, summarize, metrics, firstStart, regimesOf, maxResults = 20_000_000, checkpoint = () => {} } = options
  const buffers = { values: createScratchBuffer(), partitioned: createScratchBuffer() }
  const whole = wholeResult(metrics)

  const readDays = async (selection: ColumnSelection, options?: QuestionOptions) => loadedDays(await select(selection, options))
  const readAll: ReadDays = async (wanted, window, options) => ({
    days: await Promise.all(wanted.map((one) => readDays({ ...one, window }, options))),
    uncacheable: [],
    isRead: true,
  })

  async function answerAggregate(query: ReadAggregateQuery, options?: QuestionOptions): Promise<PackedAnswer> {
    if (query.path === 'summary') {
      const summary = await summarize(query, options)
      return summary ? packAnswer(summary) : { ...packAnswer({ groups: [], results: 0, bounds: [] }), isInexact: true }
    }
    const wanted = query.sources.map((source) => ({ check: source.check, columns: columnsOfAggregate(query, source) }))
    const { days, uncacheable, isRead } = await (query.path === 'cached days' ? readCached : readAll)(wanted, query.window, options)
    const results = countIn(days)
    if (results > maxResults) throw new QueryTooLarge(`${results} results are more than ${maxResults}`)
    const loaded = query.sources.map((source, i) => ({ source, parts: (days[i] ?? []).map((day) => day.part()) }))
    return { ...packAnswer(aggregate(query, loaded, buffers)), uncacheable, isRead }
  }

  async function answerRaw(query: RawQuery, options?: QuestionOptions): Promise<readonly RawGroup[]> {
    const { check, window, rowPage } = query
    const columns = columnsOfRaw(query)
    if (!isBounded(query)) return raw(query, await readDays({ check, window, columns }, options))
    const loaded = await select({ check, window, columns, page: { newestFirst: true, ...rowPage } }, options)
    const part = reorderedPart(
      wholePart(loaded),
      Int32Array.from({ length: loaded.count }, (_, row) => loaded.count - 1 - row),
    )
    return raw({ ...query, rowPage: { ...rowPage, offset: 0 } }, [{ count: () => part.count, part: () => part }])
  }

  const resultsIn = (check: CheckRef, loaded: LoadedColumns) => resultsOf(check, wholePart(loaded), Array(loaded.count).keys())

  async function answerResults(query: ResultsQuery, options?: QuestionOptions): Promise<readonly Result[]> {
    const { check, location, hasFailures, before, rowPage } = query
    const window = before ? { ...query.window, to: Math.min(query.window.to, before.startedAt) } : query.window
    const position = before && positionClause(check, before, '<')
    const where = [
      ...(location === null ? [] : ['runLocation = {location:String}']),
      ...(hasFailures === null ? [] : ['bitAnd(flags, 1) = {failing:UInt8}']),
      ...(position ? [position.sql] : []),
    ]
    const params = {
      ...(location !== null && { location }),
      ...(hasFailures !== null && { failing: Number(hasFailures) }),
      ...position?.params,
    }
    return resultsIn(
      check,
      await select({ check, window, columns: whole, where, params, page: { newestFirst: true, ...rowPage } }, options),
    )
  }

  async function resultsAfter({ check, window, after, limit, location }: ScanQuery, options?: QuestionOptions): Promise<readonly Result[]> {
    const position = after && positionClause(check, after, '>')
    const from = after ? Math.max(window.from, after.startedAt) : window.from
    const selection: ColumnSelection = {
      check,
      window: { from, to: window.to },
      columns: whole,
      where: [...(position ? [position.sql] : []), ...(location === undefined ? [] : ['runLocation = {location:String}'])],
      params: { ...position?.params, ...(location !== undefined && { location }) },
      page: { newestFirst: false, offset: 0, limit },
    }
    return resultsIn(check, await select(selection, options))
  }

  async function resultAt(check: CheckRef, position: Position, options?: QuestionOptions): Promise<Result | undefined> {
    const { startedAt, runLocation, id } = toStoredPosition(check, position)
    const selection: ColumnSelection = {
      check,
      window: { from: startedAt, to: startedAt },
      columns: whole,
      where: ['runLocation = {location:String}', 'id = {id:String}'],
      params: { location: runLocation, id: id ?? '' },
    }
    return resultsIn(check, await select(selection, options))[0]
  }

  async function answerStates(query: StatesQuery, options?: QuestionOptions): Promise<readonly CheckStates[]> {
    const regimes = await regimesOf(checksOf(query), options)
    const swept = query.sources.map((source, i) =>
      replay((loaded) => {
        const results = stateResults(dayReader(loaded, options), source.check)
        return sweepStates({ ...query, ...source, regimes: withToday(source, regimes[i]) }, results)
      }),
    )
    return Promise.all(swept)
  }

  async function answerOutages(slice: OutagesInSlice, options?: QuestionOptions): Promise<readonly FoundOutage[]> {
    const recorded = await regimesOf(checksOf(slice), options)
    const regimesBySource = new Map(slice.sources.map((source, i) => [source, withToday(source, recorded[i])]))
    const found = slice.sources.map((source) =>
      replay((loaded) =>
        foundOutages({ ...slice, sources: [source] }, dayReader(loaded, options), (own) => regimesBySource.get(own) ?? []),
      ),
    )
    return (await Promise.all(found)).flat()
  }

  async function answerOutageTotals(query: OutageTotalsQuery, options?: QuestionOptions): Promise<OutageTotals> {
    const recorded = await regimesOf(checksOf(query), options)
    const counted = query.sources.map((source, i) =>
      replay((loaded) => outageTotals({ ...query, sources: [source] }, dayReader(loaded, options), (own) => withToday(own, recorded[i]))),
    )
    return addTotals(await Promise.all(counted))
  }

  /** Loads the days that states and outages need; within an outage, only failing results. */
  function dayReader(loaded: Loaded, options?: QuestionOptions): DayReader {
    return {
      days(check, window, mode) {
        const ofFailures = mode === 'day by day'
        const selection = ofFailures
          ? { check, window, columns: failureColumns, where: failingOnly }
          : { check, window, columns: ['time', 'location', 'flags'] }
        return loaded(JSON.stringify([check, window, mode]), async () => loadedDays(await select(selection, options)))
      },
      hasBefore(check, instant) {
        const first = loaded(JSON.stringify([check, 'first']), () => firstStart(check, options))
        return first !== null && first < instant
      },
    }
  }

  async function answerFailures({ sources, window, ...limits }: BoundedFailuresQuery, options?: QuestionOptions): Promise<BoundedFailures> {
    const loading = sources.map(async (check) => {
      const loaded = await select({ check, window, columns: failureColumns, where: failingOnly }, options)
      return { check, days: loadedDays(loaded) }
    })
    return groupFailures(await Promise.all(loading), { ...limits, checkpoint })
  }

  async function answerTotals({ check, duration, window }: TotalsQuery, options?: QuestionOptions): Promise<StoredTotals> {
    const columns = [...countedColumns, ...(duration === null ? [] : [`v:${duration}`])]
    return totalsOf(await readDays({ check, window, columns }, options), duration)
  }

  return {
    aggregate: answerAggregate,
    raw: answerRaw,
    results: answerResults,
    resultAt,
    scan: resultsAfter,
    states: answerStates,
    outages: answerOutages,
    outageTotals: answerOutageTotals,
    failures: answerFailures,
    totals: answerTotals,
  } satisfies Omit<Reader, 'result'> & { readonly resultAt: unknown }
}

const checksOf = ({ sources }: { readonly sources: readonly StateSource[] }) => sources.map(({ check }) => check)

/** Today's rhythm applies to the time before the first record. */
function withToday({ rhythm }: StateSource, recorded: readonly Regime[] = []): readonly Regime[] {
  return [{ from: Number.NEGATIVE_INFINITY, ...rhythm }, ...recorded]
}

function positionClause(check: CheckRef, position: Position, side: '<' | '>') {
  const { startedAt, runLocation, id } = toStoredPosition(check, position)
  const sql = `(startedAt ${side} {atTime:Int64} OR (startedAt = {atTime:Int64} AND (runLocation ${side} {atLocation:String} OR (runLocation = {atLocation:String} AND id ${side} {atId:String}))))`
  return { sql, params: { atTime: startedAt, atLocation: runLocation, atId: id ?? '' } }
}

function columnsOfAggregate(query: AggregateQuery, { columns }: CheckSource): readonly string[] {
  const { groupBy, filter } = query
  const wanted = columns.flatMap((metric) => (metric ? columnOf(metric) : []))
  return ['time', ...wanted, ...columnsOfQuestion(groupBy, filter, wanted), ...(needsCounts(query) ? ['flags', 'attempts'] : [])]
}

function columnsOfRaw({ groupBy, filter, metrics }: RawQuery): readonly string[] {
  const wanted = metrics.map(columnOf)
  return ['time', 'location', 'flags', 'attempts', ...wanted, ...columnsOfQuestion(groupBy ? [groupBy] : [], filter, wanted)]
}

function columnsOfQuestion(groupBy: readonly Grouping[], filter: ResultFilter | null, wanted: readonly string[]): readonly string[] {
  const grouped = groupBy.flatMap((grouping) => {
    if (grouping.by === 'location') return ['location']
    if (grouping.by === 'page') return ['pageUrl']
    return grouping.by === 'field' ? [`v:${grouping.name}`] : []
  })
  const needsPages = grouped.includes('pageUrl') || wanted.some((column) => column.startsWith('p:'))
  return [
    ...grouped,
    ...(needsPages ? ['pages'] : []),
    ...(filter ? ['flags', 'state'] : []),
    ...(filter?.locations ? ['location'] : []),
    ...(filter?.field ? [`v:${filter.field.name}`] : []),
  ]
}
