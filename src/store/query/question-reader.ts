import type { BoundedFailures, BoundedFailuresQuery } from '../failures/failures.ts'
import type { PackedAnswer } from '../questions/calls.ts'
import type { CheckStates, FoundOutage, OutageTotals, OutageTotalsQuery, StatesQuery } from '../state-questions.ts'
import type {
  AggregateQuery,
  CheckRef,
  FoundResult,
  Position,
  QuestionOptions,
  RawGroup,
  RawQuery,
  Result,
  ResultQuery,
  ResultsQuery,
  Window,
} from '../store.ts'
import type { TotalsQuery } from '../totals.ts'
import type { OutagesInSlice } from './outages/found-outages.ts'
import type { StoredTotals } from './stored-totals.ts'

/** Whole results of a check after a position, oldest first. */
export type ScanQuery = {
  readonly check: CheckRef
  readonly window: Window
  readonly after: Position | null
  readonly limit: number
  /** Only results at this location. */
  readonly location?: string
}

/** How a figure is computed: by aggregation in a database, or from columns of results, which may be cached by day. */
export type AnswerPath = 'summary' | 'columns' | 'cached days'

export type ReadAggregateQuery = AggregateQuery & { readonly path: AnswerPath }

type Answer<Query, Value> = (query: Query, options?: Pick<QuestionOptions, 'signal'>) => Value | Promise<Value>

/** Answers the parts of questions on its own connection, mostly in its own thread. */
export type Reader = {
  readonly aggregate: Answer<ReadAggregateQuery, PackedAnswer>
  readonly raw: Answer<RawQuery, readonly RawGroup[]>
  readonly results: Answer<ResultsQuery, readonly Result[]>
  readonly result: Answer<ResultQuery, FoundResult | null>
  readonly scan: Answer<ScanQuery, readonly Result[]>
  /** One entry per source. */
  readonly states: Answer<StatesQuery, readonly CheckStates[]>
  readonly outages: Answer<OutagesInSlice, readonly FoundOutage[]>
  readonly outageTotals: Answer<OutageTotalsQuery, OutageTotals>
  readonly failures: Answer<BoundedFailuresQuery, BoundedFailures>
  readonly totals: Answer<TotalsQuery, StoredTotals>
}
