/** What every home of results can do. Nothing here tells how it is kept. */
export type Store = {
  /** Keeps results; resolves once they are safe on disk. For each: true if it was new, false if its id was there already. */
  append(results: readonly FiledResult[]): Promise<readonly boolean[]>
  aggregate(query: AggregateQuery): Promise<readonly AggregateGroup[]>
  /** The answers to many questions, in their order, each as if it were asked alone. */
  aggregateMany(queries: readonly AggregateQuery[]): Promise<readonly (readonly AggregateGroup[])[]>
  raw(query: RawQuery): Promise<readonly RawGroup[]>
  /** Whole results of one check, newest first. */
  results(query: ResultsQuery): Promise<readonly Result[]>
  /** Whole results of one check, oldest first, some at a time. */
  scan(check: CheckRef, window: Window): AsyncIterable<readonly Result[]>
  /** What is known of a check without a question to the disk; undefined before its first result. */
  latest(check: CheckRef): Latest | undefined
  /** When each of these checks was first seen, and when its definition last changed; remembers those that are new. */
  recordDefinitions(checks: readonly DefinitionRef[], now: number): Promise<readonly Lifetime[]>
  /** Whether it can take results and questions now. */
  ready(): Promise<boolean>
  close(): Promise<void>
}

export type CheckRef = { readonly account: string; readonly checkId: string }

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
  /** For check types with states of their own, such as a ping that came late. */
  readonly state: string | null
  /** Why it failed. */
  readonly error: string | null
  /** Metrics and whole-number fields by name; one that was not measured is absent. */
  readonly values: Readonly<Record<string, number>>
  /** What was measured on each page visited, in order. */
  readonly pages: readonly Page[]
}
export type Page = { readonly pageUrl: string; readonly values: Readonly<Record<string, number>> }
/** A result on its way in; without an id it gets one that is derived from its check, location and start. */
export type NewResult = Omit<Result, 'id'> & { readonly id: string | null }
export type FiledResult = { readonly check: CheckRef; readonly result: NewResult }

/** Both ends belong to it; epoch milliseconds. */
export type Window = { readonly from: number; readonly to: number }

/** A result passes if its outcome or its state is among these. */
export type StatusFilter = { readonly success: boolean; readonly failure: boolean; readonly states: readonly string[] }

export type Grouping =
  | { readonly by: 'location' }
  /** A whole number that results carry, by its name. */
  | { readonly by: 'field'; readonly name: string }
  | { readonly by: 'page' }

/** Which rows of each series, or which groups, an answer holds. */
type Paging = { readonly offset: number; readonly limit: number }

export const aggregations = ['avg', 'max', 'median', 'min', 'p50', 'p90', 'p95', 'p99', 'stddev', 'sum'] as const
export type Aggregation = (typeof aggregations)[number]

type Question = {
  readonly check: CheckRef
  readonly window: Window
  readonly filter: StatusFilter | null
  readonly groupBy: Grouping | null
  readonly paging: Paging
}

export type Figure = { readonly metric: string; readonly perPage: boolean; readonly aggregation: Aggregation }

export type AggregateQuery = Question & {
  readonly figures: readonly Figure[]
  /** Whether `total`, `success` and `retries` are wanted; they cost reading and mean nothing otherwise. */
  readonly outcomes: boolean
  /** Buckets are `[originMs + k × widthMs, originMs + (k + 1) × widthMs)`; null for one row over the whole window. */
  readonly buckets: { readonly originMs: number; readonly widthMs: number } | null
}

export type GroupKey = string | number | null
export type AggregateGroup = { readonly key: GroupKey; readonly rows: readonly AggregateRow[] }
export type AggregateRow = {
  /** The start of the bucket; null without buckets. */
  readonly start: number | null
  readonly total: number
  readonly success: number
  readonly retries: number
  /** The newest URL of the page, when grouped by page. */
  readonly pageUrl: string | null
  /** One for each of the query's figures. */
  readonly values: readonly (number | null)[]
}

export type RawQuery = Question & { readonly metrics: readonly { readonly metric: string; readonly perPage: boolean }[] }
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

/** Where a result stands in the order of a check's results: by time, then location, then id. */
export type Position = { readonly startedAt: number; readonly runLocation: string; readonly id: string }
export type ResultsQuery = {
  readonly check: CheckRef
  readonly window: Window
  readonly location: string | null
  readonly hasFailures: boolean | null
  /** Only results that stand before this one. */
  readonly before: Position | null
  readonly paging: Paging
}

export type Latest = {
  /** The newest result of each location, by location. */
  readonly byLocation: readonly Result[]
}

/** `fingerprint` changes whenever the check's definition does. */
export type DefinitionRef = CheckRef & { readonly fingerprint: string }
export type Lifetime = { readonly createdAt: number; readonly updatedAt: number }

/** The store cannot take this now: full, closed, or too much asked at once. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
  readonly retryAfterSeconds: number
  constructor(reason: string, retryAfterSeconds: number) {
    super(reason)
    this.retryAfterSeconds = retryAfterSeconds
  }
}
