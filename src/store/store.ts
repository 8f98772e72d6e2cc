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
 * A store of results. All text is ordered by its UTF-8 bytes. A question whose signal is aborted rejects with the signal's
 * reason: one that still waits never runs, and one that is running stops soon. Questions of several callers share the store fairly, by
 * their cost; one that costs too much rejects with `QueryTooLarge` before anything is read, one that waits too long with
 * `StoreUnavailable`.
 */
export type Store = {
  /**
   * Stores results; resolves once they are durable. A result whose id is stored already, or is repeated within `results`, changes nothing.
   * Rejects with `StoreUnavailable` where any of them is refused for now, which says in `partly` if the others are durable.
   */
  append(results: readonly FiledResult[]): Promise<Appended>
  /**
   * Calls back with the results of an account once they are durable, each once, without duplicates. Those of each `append` come in the
   * order of commits, before its promise resolves, so the callback must be quick. Those of other processes come within some two seconds;
   * those that are found together are in their order of arrival. Where others store more than can be read, it is called with the skipped
   * range. Returns an unsubscribe function.
   */
  onAppended(account: string, announce: (added: readonly FiledResult[], skipped?: SkippedResults) => void): () => void
  /** Every figure there is comes from here: of one check or of many together. */
  aggregate(query: AggregateQuery, options?: QuestionOptions): Promise<AggregateAnswer>
  /** How long each of some checks was in each state, in their order. Rejects with `QueryTooLarge` where too many intervals are wanted. */
  states(query: StatesQuery, options?: QuestionOptions): Promise<readonly CheckStates[]>
  /** The outages of some checks, newest first, then by the id of the check. */
  outages(query: OutagesQuery, options?: QuestionOptions): Promise<readonly FoundOutage[]>
  /** The same outages, counted: all of them, however many there are. */
  outageTotals(query: OutageTotalsQuery, options?: QuestionOptions): Promise<OutageTotals>
  /** Failing results by reason, the most frequent first, then the newest. Rejects with `QueryTooLarge` where there are too many reasons. */
  failures(query: FailuresQuery, options?: QuestionOptions): Promise<readonly FailureGroup[]>
  /** Single runs, newest first. */
  raw(query: RawQuery, options?: QuestionOptions): Promise<readonly RawGroup[]>
  /** Whole results of one check, newest first. */
  results(query: ResultsQuery, options?: QuestionOptions): Promise<readonly Result[]>
  /** One result of a check by its id, with its evidence; null where there is no such result. */
  result(query: ResultQuery, options?: QuestionOptions): Promise<FoundResult | null>
  /** Whole results of one check, oldest first, in batches. */
  scan(check: CheckRef, window: Window, options?: QuestionOptions): AsyncIterable<readonly Result[]>
  /** The newest results of each of these checks, in their order. Cheap: asked for with every badge and status. */
  latest(checks: readonly CheckRef[], options?: LatestOptions): Promise<readonly Latest[]>
  /**
   * All results of each of these checks, counted, in their order. The first time it reads them all; after that it is cheap. It answers
   * after `waitMs` at the latest, and counting goes on. While the store is open nothing is subtracted, not even what the retention drops. The
   * totals of a check are the same object until results are added.
   */
  totals(sources: readonly TotalsSource[], options?: TotalsOptions): Promise<readonly (CheckTotals | MissingTotals)[]>
  /**
   * Keeps today (UTC) and this many days before it: whole older days are dropped, now and as time goes on. Resolves once those that are
   * due now are gone. A store that was never given a retention drops nothing.
   */
  applyRetention(days: number): Promise<void>
  /** The same for evidence. It never outlives its result. */
  applyEvidenceRetention(days: number): Promise<void>
  /** Dry run of `applyRetention`. */
  expiring(days: number): Promise<Expiring>
  /** Whether it can answer questions now; rejects with `StoreUnavailable` where it knows why not. */
  ready(): Promise<boolean>
  /** The same for storing results. */
  writable(): Promise<boolean>
  close(): Promise<void>
}

export type QuestionOptions = {
  readonly signal?: AbortSignal
  /** The caller; questions without one share a caller. */
  readonly caller?: QuestionCaller
}
/** `fresh` reads them again, where other processes may have added some in the last second. */
export type LatestOptions = QuestionOptions & { readonly fresh?: boolean }
/** Without `waitMs`, as long as it takes. */
export type TotalsOptions = Pick<QuestionOptions, 'caller'> & { readonly waitMs?: number }
export type QuestionCaller = { readonly account: string; readonly key: string }

/** Results in whole days (UTC) that are older than a retention; `first` and `last` are the starts of those days, null without any. */
export type Expiring = {
  readonly results: number
  readonly checks: number
  readonly first: number | null
  readonly last: number | null
}

export type Appended = {
  /** The indexes, ascending, of the results that changed nothing because their id was there already. */
  readonly duplicates: readonly number[]
}

/** The outcome of an `append` that refuses the results of some checks for now: those of all others are durable. */
type PartlyAppended = Appended & {
  /** The keys of these checks. */
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
  /** For check types with additional states, such as a ping that came late. */
  readonly state: string | null
  /** Why it failed. */
  readonly error: string | null
  /** Metrics and whole-number fields by name; one that was not measured is absent. */
  readonly values: Readonly<Record<string, number>>
  /** Values of each visited page, in order. */
  readonly pages: readonly PageResult[]
}
export type PageResult = { readonly pageUrl: string; readonly values: Readonly<Record<string, number>> }
/** A result on its way in; without an id it gets one that is derived from its check, location and start. */
export type NewResult = Omit<Result, 'id'> & { readonly id: string | null }
export type FiledResult = {
  readonly check: CheckRef
  readonly result: NewResult
  /** The encoded evidence of its run (evidence.ts). Stored with the result or not at all. */
  readonly evidence?: Uint8Array
  /** When it counts as arrived; by default when it is stored. */
  readonly arrivedAt?: number
}

/** Results of an account that were stored and are not announced: how many at most, and when those of each check started at most. */
export type SkippedResults = { readonly results: number; readonly byCheck: ReadonlyMap<string, Window> }

/** A result passes if its outcome or its state is among these, and its location and field too where they are given. */
export type ResultFilter = {
  readonly success: boolean
  readonly failure: boolean
  readonly states: readonly string[]
  readonly locations: readonly string[] | null
  readonly field: { readonly name: string; readonly values: readonly number[] } | null
}

export type Grouping =
  | { readonly by: 'location' }
  /** A whole number that results carry, by its name. */
  | { readonly by: 'field'; readonly name: string }
  | { readonly by: 'page' }
  /** Labels of the check itself: see `Source`. */
  | { readonly by: 'label' }
  /** Local hours, 0 to 23, or days of the week, 1 (Monday) to 7. */
  | { readonly by: 'hourOfDay' | 'dayOfWeek'; readonly offsets: OffsetSegments }

export type Paging = { readonly offset: number; readonly limit: number }

export const wholePage: Paging = { offset: 0, limit: Number.MAX_SAFE_INTEGER }

/**
 * How the values of a group, of which absent ones are no part, become one figure; null where there are none. A figure depends on those
 * values and their order alone, never on the rest of the query.
 *
 * - `p50`, `p90`, `p95`, `p99`: linear interpolation between closest ranks. Of n values in ascending order v[0] … v[n−1], the percentile
 *   at fraction f has rank r = f × (n − 1) and is v[⌊r⌋] + (v[⌊r⌋ + 1] − v[⌊r⌋]) × (r − ⌊r⌋), as a spreadsheet's PERCENTILE.
 *   `median` is `p50`.
 * - `stddev`: the population's standard deviation, √(Σ(v − mean)² ÷ n), as a spreadsheet's STDEVP; 0 for a single value.
 * - `sum`, `avg`: without accumulated rounding. Where every value is a whole number of thousandths that fits 32 bits, the sum is that
 *   of the integers, divided by 1000; else it is a compensated sum in the order of the results.
 */
export const aggregations = ['avg', 'max', 'median', 'min', 'p50', 'p90', 'p95', 'p99', 'stddev', 'sum'] as const
export type Aggregation = (typeof aggregations)[number]

/** A metric of a check type; `perPage` where each page of a run has its own value. */
export type MetricRef = { readonly metric: string; readonly perPage: boolean }

type Question = {
  readonly window: Window
  readonly filter: ResultFilter | null
  /** Which rows of each group. A group without a row on this page is left out of the answer. */
  readonly rowPage: Paging
  /** Which of the groups that have rows in the window, by key; null for all. */
  readonly groupPage: Paging | null
}

/** A check whose results are aggregated. */
export type CheckSource = {
  readonly check: CheckRef
  /** The check's own metric for each column of the query; null where its type has none, so that it adds nothing. */
  readonly columns: readonly (MetricRef | null)[]
  /** For each grouping by label, in order: the groups in which the check counts. */
  readonly labels: readonly (readonly GroupKey[])[]
}

/** A bound of the confidence interval of a percentile; `confidence` is between 0 and 1. */
export type Bound = { readonly side: 'low' | 'high'; readonly confidence: number }

/** An aggregation of a column, given by its index; with a bound, that bound in place of the value itself. */
export type Figure = { readonly column: number; readonly aggregation: Aggregation; readonly bound: Bound | null }

/**
 * Sorts the groups of an answer, or with buckets the rows of each group, before pages are cut: by a figure, given by its index, or by what
 * follows from the counts. Nulls come last; equal ones keep the order that they have without it.
 */
export type Order = {
  readonly by: number | 'total' | 'success' | 'availability' | 'retries'
  readonly direction: 'asc' | 'desc'
}

/** Buckets of one width, `[originMs + k × widthMs, originMs + (k + 1) × widthMs)`, or those of a calendar. */
export type Buckets = { readonly originMs: number; readonly widthMs: number } | CalendarBuckets

export type AggregateQuery = Question & {
  readonly sources: readonly CheckSource[]
  /** Up to two. */
  readonly groupBy: readonly Grouping[]
  readonly figures: readonly Figure[]
  /** Whether `counts` are wanted: they cost reading. */
  readonly counts: boolean
  /** Null for one row over the whole window. */
  readonly buckets: Buckets | null
  /** Lists every bucket that touches this window, empty ones too; null to leave empty ones out. */
  readonly fill: Window | null
  readonly order?: Order | null
  /** Counts the values of a column between bounds, which are chosen from the data where they are null. */
  readonly histogram: { readonly column: number; readonly bounds: readonly number[] | null } | null
}

export type GroupKey = string | number | null
/** One key for each grouping of the query. Groups come by their keys, numbers ascending, null last. */
export type AggregateGroup = { readonly keys: readonly GroupKey[]; readonly rows: readonly AggregateRow[] }
export type AggregateAnswer = {
  /** A query without buckets and groups has one row even where there are no results. */
  readonly groups: readonly AggregateGroup[]
  /** How many results were read. */
  readonly results: number
  /** Ascending upper bounds, inclusive, of the histogram's buckets; one more bucket holds values above the last. */
  readonly bounds: readonly number[]
}
export type AggregateRow = {
  /** The start of the bucket; null without buckets. */
  readonly start: number | null
  /** Null where the query does not want them. */
  readonly counts: Counts | null
  /** The newest URL of the page, when grouped by page. */
  readonly pageUrl: string | null
  /** One for each of the query's figures. */
  readonly values: readonly (number | null)[]
  /** Counts by bucket, one more than there are bounds; null where the query has no histogram. */
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
 * The position of a result in the order of a check's results: by time, then location, then id. A result that came without an id has
 * the id '' in this order, before all others of its time and location; its derived id stands for '' here.
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
  /** When it started. Without it, results are read from the newest back until it is found. */
  readonly startedAt: number | null
  /** Neighbours are those of its location. */
  readonly sameLocation?: boolean
}

export type FoundResult = {
  readonly result: Result
  /** As it was filed; null where none was, or where it was dropped. */
  readonly evidence: Uint8Array | null
  /** Its neighbours in the order of the check's results, or of those of its location. */
  readonly previous: Position | null
  readonly next: Position | null
}

export type Latest = {
  /** Changes whenever results of the check were added; comparable only for the same check and open store. */
  readonly revision: string
  /** The newest result of each location, by location; empty before the first result. */
  readonly byLocation: readonly LatestResult[]
}
/** `arrivedAt` is when it was stored, if that was after its start: an imported result. After a restart only the check's newest result has it. */
export type LatestResult = Result & { readonly arrivedAt?: number }

/** The store cannot take this now: full, closed, or too much asked at once. Its message is for the log, and may name paths. */
export class StoreUnavailable extends StacklessError {
  override readonly name = 'StoreUnavailable'
  readonly retryAfterSeconds: number
  /** Why, as a sentence that any caller may read; null where there is nothing to say. */
  readonly publicReason: string | null
  /** What became of results that were to be stored, where only those of some checks are refused; else none of them counts as stored. */
  readonly partly: PartlyAppended | null
  constructor(reason: string, retryAfterSeconds: number, options: UnavailableOptions = {}) {
    super(reason, options)
    this.retryAfterSeconds = retryAfterSeconds
    this.publicReason = options.publicReason ?? null
    this.partly = options.partly ?? null
  }
}
type UnavailableOptions = ErrorOptions & { readonly publicReason?: string | null; readonly partly?: PartlyAppended }

/** The question would read or answer more than the store admits; `reason` says how much, and of what. */
export class QueryTooLarge extends StacklessError {
  override readonly name = 'QueryTooLarge'
}
