import type { Span } from '../calendar/window.ts'
import type { Check } from '../catalogue/catalogue.ts'
import type { Policies } from '../catalogue/policies/policies.ts'
import { createTurns } from '../concurrency/turns.ts'
import { endOfBucket } from '../store/kernels/bucket-columns.ts'
import type { CheckStates } from '../store/state-questions.ts'
import type { AggregateGroup, AggregateQuery, QuestionOptions, Store } from '../store/store.ts'
import type { StateInterval } from '../store/timeline/interval.ts'
import { totalTime } from '../store/timeline/row-time.ts'
import type { StateTime } from '../store/timeline/state-time.ts'
import type { ReportGroup } from './report.ts'
import { planStates, type TimeOptions } from './time-options.ts'

export type TimeContext = {
  readonly store: Store
  readonly policies: Policies
  readonly now: number
  readonly time: TimeOptions
  readonly options: QuestionOptions
}

type UntimedGroups = {
  readonly checks: readonly Check[]
  readonly query: Pick<AggregateQuery, 'buckets' | 'window'>
  readonly groups: readonly AggregateGroup[]
  readonly starts?: readonly (number | null)[]
  /** The index of the location in the keys of a group; null if groups are not by location. */
  readonly locationIndex: number | null
  readonly isIn: (check: Check, group: AggregateGroup) => boolean
}

type TimedGroups = { readonly groups: readonly ReportGroup[]; readonly intervals: readonly StateInterval[] | null }

/** Adds to each row its time in each state, pooled over all checks of its group. */
export async function withStateTime(untimed: UntimedGroups, { store, time, options, ...context }: TimeContext): Promise<TimedGroups> {
  const { checks, query, groups, locationIndex, isIn, starts = startsIn(groups) } = untimed
  const states = await store.states(
    planStates({ ...context, checks, window: query.window, rows: rowSpans(query, starts), byLocation: locationIndex !== null }, time),
    options,
  )
  const times = states.map(timeByLocation)
  const rowOf = new Map(starts.map((start, row) => [start, row]))
  const turns = createTurns()
  const timed: ReportGroup[] = []
  for (const group of groups) {
    const own = times.filter((_, i) => isIn(checks[i] as Check, group))
    const location = locationIndex === null ? null : String(group.keys[locationIndex])
    timed.push({ ...group, rows: group.rows.map((row) => ({ ...row, time: pooledTime(own, rowOf.get(row.start), location) })) })
    await turns(1 + group.rows.length + Math.ceil(times.length / 100))
  }
  return { groups: timed, intervals: time.explain ? (states[0]?.intervals ?? []) : null }
}

/** The time of each row of an aggregated answer: its bucket, or the whole window. */
function rowSpans({ buckets, window }: UntimedGroups['query'], starts: readonly (number | null)[]): readonly Span[] {
  return starts.map((start) => (start === null || !buckets ? window : { from: start, to: endOfBucket(start, buckets) }))
}

/** The distinct starts of the rows of an aggregated answer. */
function startsIn(groups: readonly AggregateGroup[]): readonly (number | null)[] {
  return [...new Set(groups.flatMap(({ rows }) => rows.map(({ start }) => start)))]
}

/** The time of a check in each row, by location; under null, that of the check as a whole. */
type LocationTime = ReadonlyMap<string | null, readonly StateTime[]>

function timeByLocation({ groups }: CheckStates): LocationTime {
  return new Map(groups.map(({ location, rows }) => [location, rows]))
}

function pooledTime(states: readonly LocationTime[], row: number | undefined, location: string | null): StateTime {
  return totalTime(row === undefined ? [] : states.flatMap((byLocation) => byLocation.get(location)?.[row] ?? []))
}
