import type { ResultRows } from '../../store/timeline/changes.ts'
import type { Regime } from '../../store/timeline/regime.ts'
import type { Quorum, TimelineState } from '../../store/timeline/state.ts'
import { sweep } from '../../store/timeline/sweep.ts'

/** The state of a check for a quorum, and since when. Times are epoch milliseconds. */
export type StateFacts = {
  readonly state: TimelineState
  /** When the state began; for an outage, its `from`. */
  readonly since: number
  /** Whether no unread result could change `since`. */
  readonly isCertain: boolean
  /** The number of results with this state or a worse one since then: the maximum over locations, or the sum if runs rotate among them. */
  readonly runs: number
  /** Since when it has been up or degraded; null while it is down or unknown. */
  readonly notDownSince: number | null
  readonly notDownRuns: number
}

/** A state at an instant, with what is known of the time before it. */
export type KnownState = Pick<StateFacts, 'state' | 'since' | 'isCertain' | 'notDownSince'>

/** Known states by quorum at an instant. Earlier results were dropped, or not read. */
export type Base = { readonly at: number; readonly states: ReadonlyMap<Quorum, KnownState> }

type StateQuestion = {
  readonly rows: ResultRows
  readonly regimes: readonly Regime[]
  readonly quorum: Quorum
  readonly base: Base | null
  readonly now: number
}

export function knownState({ rows, regimes, quorum, base, now }: StateQuestion): KnownState {
  let latest: KnownState = { state: 'unknown', since: Number.NEGATIVE_INFINITY, isCertain: base === null, notDownSince: null }
  const next = (state: TimelineState, from: number) => {
    latest = base !== null && from <= base.at ? atBase(state, from, base.states.get(quorum)) : following(latest, state, from)
  }
  const sweeping = sweep({ regimes, quorum, now, onInterval: (from, _, state) => next(state, from) })
  sweeping.push(rows)
  const open = sweeping.settle(now)
  next(open.state, open.from)
  return latest
}

function following(previous: KnownState, state: TimelineState, since: number): KnownState {
  if (!isNotDown(state)) return { state, since, isCertain: true, notDownSince: null }
  return { state, since, isCertain: true, notDownSince: previous.notDownSince ?? since }
}

/** For an interval that began at or before the base: its earlier results are not known. */
function atBase(state: TimelineState, from: number, known: KnownState | undefined): KnownState {
  if (known?.state === state) return known
  return { state, since: from, isCertain: false, notDownSince: isNotDown(state) ? from : null }
}

const isNotDown = (state: TimelineState) => state === 'up' || state === 'degraded'

/** The least outcome that counts as a run of a state. */
const leastOutcome: Readonly<Partial<Record<TimelineState, number>>> = { up: 0, degraded: 1, down: 2 }

export function stateFacts(question: StateQuestion, isRoundRobin: boolean): StateFacts {
  const known = knownState(question)
  const { rows, now } = question
  const count = (since: number, counts: (outcome: number) => boolean) => countRuns(rows, { since, now, counts, isRoundRobin })
  const least = leastOutcome[known.state]
  return {
    ...known,
    runs: least === undefined ? 0 : count(known.since, (outcome) => (least === 0 ? outcome === 0 : outcome >= least)),
    notDownRuns: known.notDownSince === null ? 0 : count(known.notDownSince, (outcome) => outcome < 2),
  }
}

type RunCount = {
  readonly since: number
  readonly now: number
  readonly counts: (outcome: number) => boolean
  readonly isRoundRobin: boolean
}

function countRuns({ times, locations, outcomes }: ResultRows, { since, now, counts, isRoundRobin }: RunCount): number {
  const byLocation: number[] = []
  let most = 0
  for (let row = times.length - 1; row >= 0; row--) {
    const time = times[row] as number
    if (time < since) break
    if (time > now || !counts(outcomes[row] as number)) continue
    const location = isRoundRobin ? 0 : (locations[row] as number)
    const count = (byLocation[location] ?? 0) + 1
    byLocation[location] = count
    if (count > most) most = count
  }
  return most
}
