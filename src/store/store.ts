import type { CalendarBuckets } from '../calendar/bucket-index.ts'
import type { OffsetSegments } from '../calendar/local-fields.ts'
import type { Window } from '../calendar/window.ts'
import type { CheckRef } from '../ids/check-ref.ts'
import { StacklessError } from '../text/stackless-error.ts'
import type { FailureGroup, FailuresQuery } from './failures/failures.ts'
import type { CheckStates, FoundOutage, OutagesQuery, OutageTotals, OutageTotalsQuery, StatesQuery } from './state-questions.ts'
import type { CheckTotals, MissingTotals, TotalsSource } from './totals.ts'

export type { Window } from '../calendar/window.ts'
export type { CheckRef } from '../ids/check-ref.ts'

/**
 * A store of results. All text is ordered by its UTF-8 bytes. A question whose signal is aborted rejects with the signal's reason: if
 * queued, it never runs; if running, it stops soon. Callers share the store fairly, by the cost of their questions. A question that costs
 * too much rejects with `QueryTooLarge` before anything is read, one that waits too long with `StoreUnavailable`.
 */
export type Store = {
  /**
   * Stores results; resolves once they are durable. A duplicate, whose id is already stored or repeated within `results`, changes nothing.
   * Rejects with `StoreUnavailable` if any result is refused for now; its `partly` says whether the others are durable.
   */
  append(results: readonly FiledResult[]): Promise<Appended>
  /**
   * Calls back with the new results of an account once they are durable, each once, without duplicates. Results of an `append` come in
   * commit order, before its promise resolves, so the callback must be fast. Results of other processes come within about two seconds;
   * those found together are in order of arrival. If other processes store more than can be read, or a commit was written although its
   * thread was lost, the callback gets the skipped range.
   * Returns an unsubscribe function.
   */
  onAppended(account: string, announce: (added: readonly FiledResult[], skipped?: SkippedResults) => void): () => void
  /** The source of all figures, of one check or of many together. */
  aggregate(query: AggregateQuery, options?: QuestionOptions): Promise<AggregateAnswer>
  /** The time of each check in each state, in the order of the sources. Rejects with `QueryTooLarge` if there are too many intervals. */
  states(query: StatesQuery, options?: QuestionOptions): Promise<readonly CheckStates[]>
  /** The outages of checks, newest first, then by check id. */
  outages(query: OutagesQuery, options?: QuestionOptions): Promise<readonly FoundOutage[]>
  /** Counts these outages, without a limit. */
  outageTotals(query: OutageTotalsQuery, options?: QuestionOptions): Promise<OutageTotals>
  /** Failing results by reason, the most frequent first, then the newest. Rejects with `QueryTooLarge` if there are too many reasons. */
  failures(query: FailuresQuery, options?: QuestionOptions): Promise<readonly FailureGroup[]>
  /** Single runs, newest first. */
  raw(query: RawQuery, options?: QuestionOptions): Promise<readonly RawGroup[]>
  /** Whole results of one check, newest first. */
  results(query: ResultsQuery, options?: QuestionOptions): Promise<readonly Result[]>
  /** One result of a check by its id, with its evidence; null if there is none. */
  result(query: ResultQuery, options?: QuestionOptions): Promise<FoundResult | null>
  /** Whole results of one check, oldest first, in batches. */
  scan(check: CheckRef, window: Window, options?: QuestionOptions): AsyncIterable<readonly Result[]>
  /** The newest results of each check, in the order of `checks`. Cheap: every badge and status calls it. */
  latest(checks: readonly CheckRef[], options?: LatestOptions): Promise<readonly Latest[]>
  /**
   * Totals over all results of each check, in the order of `sources`. The first call reads all results; later calls are cheap. Answers
   * after `waitMs` at the latest, while counting continues. Totals never decrease while the store is open, not even when the retention
   * drops results. The totals of a check are the same object until results are added.
   */
  totals(sources: readonly TotalsSource[], options?: TotalsOptions): Promise<readonly (CheckTotals | MissingTotals)[]>
  /**
   * Keeps today (UTC) and this many days before it. Drops whole older days, now and in the future; resolves once the days that are due now
   * are gone. Until it is called, nothing is dropped.
   */
  applyRetention(days: number): Promise<void>
  /** As `applyRetention`, for evidence, which never outlives its result. */
  applyEvidenceRetention(days: number): Promise<void>
  /** Dry run of `applyRetention`. */
  expiring(days: number): Promise<Expiring>
  /** Whether it can answer questions now; rejects with `StoreUnavailable` if it knows the reason. */
  ready(): Promise<boolean>
  /** As `ready`, for storing results. */
  writable(): Promise<boolean>
  close(): Promise<void>
}

export type QuestionOptions = {
  readonly signal?: AbortSignal
  /** Questions without a caller share one. */
  readonly caller?: QuestionCaller
}
/** `fresh` reads them again, in case other processes have added results in the last second. */
export type LatestOptions = QuestionOptions & { readonly fresh?: boolean }
/** Without `waitMs`, there is no time limit. */
export type TotalsOptions = Pick<QuestionOptions, 'caller'> & { readonly waitMs?: number }
export type QuestionCaller = { readonly account: string; readonly key: string }

/**
 * Results of whole days (UTC) beyond a retention. `first` and `last` are the starts of the first and last of these days, null if there are
 * none.
 */
export type Expiring = {
  readonly results: number
  readonly checks: number
  readonly first: number | null
  readonly last: number | null
}

export type Appended = {
  /** The ascending indexes of results that changed nothing, because their id was already stored. */
  readonly duplicates: readonly number[]
}

/** The outcome of an `append` that refuses the results of some checks for now; all others are durable. */
type PartlyAppended = Appended & {
  /** The keys of the refused checks. */
  readonly refusedChecks: ReadonlySet<string>
}

/** The final outcome of one run of a check at one location. */
export type Result = {
  readonly id: string
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly runLocation: string
  readonly hasFailures: boolean
  readonly hasErrors: boolean
  readonly isDegraded: boolean
  readonly overMaxResponseTime: boolean
  readonly attempts: number
  /** For check types with additional states, such as a late ping. */
  readonly state: string | null
  readonly error: string | null
  /** Metrics and whole-number fields by name, without those that were not measured. */
  readonly values: Readonly<Record<string, number>>
  /** Values of each visited page, in order. */
  readonly pages: readonly PageResult[]
}
export type PageResult = { readonly pageUrl: string; readonly values: Readonly<Record<string, number>> }
/** A result to store. Without an id, it gets one derived from its check, location and start. */
export type NewResult = Omit<Result, 'id'> & { readonly id: string | null }
export type FiledResult = {
  readonly check: CheckRef
  readonly result: NewResult
  /** The encoded evidence of its run (evidence.ts). Stored with the result or not at all. */
  readonly evidence?: Uint8Array
  /** The time of arrival; by default, when it is stored. */
  readonly arrivedAt?: number
}

/** Stored results of an account that were not announced. Upper bounds: how many, and per check the window in which they started. */
export type SkippedResults = { readonly results: number; readonly byCheck: ReadonlyMap<string, Window> }

/** A result passes if its outcome or its state is among these, and also its location and field, if given. */
export type ResultFilter = {
  readonly success: boolean
  readonly failure: boolean
  readonly states: readonly string[]
  readonly locations: readonly string[] | null
  readonly field: { readonly name: string; readonly values: readonly number[] } | null
}

export type Grouping =
  | { readonly by: 'location' }
  /** A whole-number field of results. */
  | { readonly by: 'field'; readonly name: string }
  | { readonly by: 'page' }
  /** Labels of the check itself: see `CheckSource`. */
  | { readonly by: 'label' }
  /** Local hours, 0 to 23, or days of the week, 1 (Monday) to 7. */
  | { readonly by: 'hourOfDay' | 'dayOfWeek'; readonly offsets: OffsetSegments }

export type Paging = { readonly offset: number; readonly limit: number }

export const wholePage: Paging = { offset: 0, limit: Number.MAX_SAFE_INTEGER }

/**
 * How the values of a group, without absent ones, become one figure; null if there are none. A figure depends only on these values and
 * their order, never on the rest of the query.
 *
 * - `p50`, `p90`, `p95`, `p99`: linear interpolation between closest ranks. Of n values in ascending order v[0] … v[n−1], the percentile
 *   at fraction f has rank r = f × (n − 1) and is v[⌊r⌋] + (v[⌊r⌋ + 1] − v[⌊r⌋]) × (r − ⌊r⌋), as a spreadsheet's PERCENTILE.
 *   `median` is `p50`.
 * - `stddev`: the population's standard deviation, √(Σ(v − mean)² ÷ n), as a spreadsheet's STDEVP; 0 for a single value.
 * - `sum`, `avg`: without accumulated rounding. If every value is a whole number of thousandths that fits 32 bits, the sum is that of
 *   the integers, divided by 1000; otherwise it is a compensated sum in the order of the results.
 */
export const aggregations = ['avg', 'max', 'median', 'min', 'p50', 'p90', 'p95', 'p99', 'stddev', 'sum'] as const
export type Aggregation = (typeof aggregations)[number]

/** A metric of a check type; `perPage` if each page of a run has its own value. */
export type MetricRef = { readonly metric: string; readonly perPage: boolean }

type Question = {
  readonly window: Window
  readonly filter: ResultFilter | null
  /** The page of rows of each group. A group without a row on this page is left out of the answer. */
  readonly rowPage: Paging
  /** The page of the groups with rows in the window, by key; null for all. */
  readonly groupPage: Paging | null
}

/** A check whose results are aggregated. */
export type CheckSource = {
  readonly check: CheckRef
  /** The check's own metric for each column of the query; null if its type has none, so that it adds no values. */
  readonly columns: readonly (MetricRef | null)[]
  /** For each grouping by label, in order: the groups in which the check counts. */
  readonly labels: readonly (readonly GroupKey[])[]
}

/** A bound of the confidence interval of a percentile; `confidence` is between 0 and 1. */
export type Bound = { readonly side: 'low' | 'high'; readonly confidence: number }

/** An aggregation of a column, given by its index; with a bound, that bound instead of the value itself. */
export type Figure = { readonly column: number; readonly aggregation: Aggregation; readonly bound: Bound | null }

/**
 * Sorts the groups of an answer, or with buckets the rows of each group, before paging: by a figure, given by its index, or by a value
 * derived from the counts. The sort is stable, and nulls come last.
 */
export type Order = {
  readonly by: number | 'total' | 'success' | 'availability' | 'retries'
  readonly direction: 'asc' | 'desc'
}

/** Buckets of a fixed width, `[originMs + k × widthMs, originMs + (k + 1) × widthMs)`, or calendar buckets. */
export type Buckets = { readonly originMs: number; readonly widthMs: number } | CalendarBuckets

export type AggregateQuery = Question & {
  readonly sources: readonly CheckSource[]
  /** Up to two. */
  readonly groupBy: readonly Grouping[]
  readonly figures: readonly Figure[]
  /** Whether to return `counts`, which must be read in addition. */
  readonly counts: boolean
  /** Null for one row over the whole window. */
  readonly buckets: Buckets | null
  /** Lists every bucket that touches this window, including empty ones; null to leave empty ones out. */
  readonly fill: Window | null
  readonly order?: Order | null
  /** Counts the values of a column by bucket. Bounds are chosen from the data if null. */
  readonly histogram: { readonly column: number; readonly bounds: readonly number[] | null } | null
}

export type GroupKey = string | number | null
/** One key for each grouping of the query. Groups are sorted by key, numbers ascending, null last. */
export type AggregateGroup = { readonly keys: readonly GroupKey[]; readonly rows: readonly AggregateRow[] }
export type AggregateAnswer = {
  /** A query without buckets and groups has one row even without results. */
  readonly groups: readonly AggregateGroup[]
  /** Number of results read. */
  readonly results: number
  /** Ascending upper bounds, inclusive, of the histogram's buckets; one more bucket holds values above the last. */
  readonly bounds: readonly number[]
}
export type AggregateRow = {
  /** The start of the bucket; null without buckets. */
  readonly start: number | null
  /** Null unless requested. */
  readonly counts: Counts | null
  /** The newest URL of the page, when grouped by page. */
  readonly pageUrl: string | null
  /** One for each of the query's figures. */
  readonly values: readonly (number | null)[]
  /** Counts by bucket, one more than there are bounds; null if the query has no histogram. */
  readonly histogram: readonly number[] | null
}

export type Counts = { readonly total: number; readonly success: number; readonly retries: number }

export type RawQuery = Question & {
  readonly check: CheckRef
  readonly groupBy: Exclude<Grouping, { readonly by: 'label' }> | null
  readonly metrics: readonly MetricRef[]
}
export type RawGroup = { readonly key: GroupKey; readonly rows: readonly RawRow[] }
export type RawRow = {
  readonly startedAt: number
  readonly runLocation: string
  readonly hasFailures: boolean
  readonly attempts: number
  readonly pageUrl: string | null
  readonly pageIndex: number | null
  /** One for each of the query's metrics. A per-page metric without grouping by page is its mean over the run's pages. */
  readonly values: readonly (number | null)[]
}

/**
 * The position of a result among the results of its check: by time, then location, then id. A result that was sent without an id sorts as
 * the id '', before all others of its time and location. Here, its derived id represents ''.
 */
export type Position = { readonly startedAt: number; readonly runLocation: string; readonly id: string }
export type ResultsQuery = {
  readonly check: CheckRef
  readonly window: Window
  readonly location: string | null
  readonly hasFailures: boolean | null
  /** Only results before this position. */
  readonly before: Position | null
  readonly rowPage: Paging
}

export type ResultQuery = {
  readonly check: CheckRef
  readonly id: string
  /** The start of the result. If null, results are searched from the newest back. */
  readonly startedAt: number | null
  /** Whether neighbours must have the same location. */
  readonly sameLocation?: boolean
}

export type FoundResult = {
  readonly result: Result
  /** As it was stored; null if there was none, or it was dropped. */
  readonly evidence: Uint8Array | null
  /** The neighbours among the results of the check, or of its location with `sameLocation`. */
  readonly previous: Position | null
  readonly next: Position | null
}

export type Latest = {
  /** Changes whenever results of the check were added; comparable only for the same check and open store. */
  readonly revision: string
  /** The newest result of each location, by location; empty before the first result. */
  readonly byLocation: readonly LatestResult[]
}
/**
 * `arrivedAt` is when it was stored, if that was after its start, as for imported results. After a restart, only the check's newest result
 * has it.
 */
export type LatestResult = Result & { readonly arrivedAt?: number }

/** The store cannot handle this now: it is full, closed or overloaded. The message is for the log, and may contain paths. */
export class StoreUnavailable extends StacklessError {
  override readonly name = 'StoreUnavailable'
  readonly retryAfterSeconds: number
  /** The reason as a sentence that any caller may see; null if there is none. */
  readonly publicReason: string | null
  /** The outcome of an `append` that refused the results of only some checks. If null, no result counts as stored. */
  readonly partly: PartlyAppended | null
  constructor(reason: string, retryAfterSeconds: number, options: UnavailableOptions = {}) {
    super(reason, options)
    this.retryAfterSeconds = retryAfterSeconds
    this.publicReason = options.publicReason ?? null
    this.partly = options.partly ?? null
  }
}
type UnavailableOptions = ErrorOptions & { readonly publicReason?: string | null; readonly partly?: PartlyAppended }

/** The question would read or return more than the store allows; the message says how much. */
export class QueryTooLarge extends StacklessError {
  override readonly name = 'QueryTooLarge'
}
