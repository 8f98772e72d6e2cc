import type { FiledResult } from '../../store/store.ts'
import type { AlertMessage } from '../channels/message.ts'
import { type AlertState, applyDecision, applyDelivered, isOpen, loadAlertState, nextDecisionAt } from '../decide/alert-state.ts'
import { decide } from '../decide/decide.ts'
import type { Changed, DecideInput, MessageLinks } from '../decide/input.ts'
import { type AlertPlan, trackedChecks } from '../decide/plan.ts'
import { createTracker, type FactsTracker } from '../facts/tracker.ts'
import type { AlertHistory } from '../outbox/alert-history.ts'
import { createReplayedBurn } from './replayed-burn.ts'
import { createReplayedHistory } from './replayed-history.ts'

type ReplayOptions = {
  readonly plan: AlertPlan
  /** Results of all checks, oldest first. Those before `from` only build the initial state. */
  readonly results: AsyncIterable<readonly FiledResult[]>
  /** Lower bound of the times of results. */
  readonly resultsFrom: number
  /** The time from which windows of burn rates are complete. */
  readonly burnFrom: number
  readonly history: AlertHistory
  readonly from: number
  readonly to: number
  readonly newId: () => string
  readonly links: MessageLinks
  /** Called regularly, and may throw to end the replay. */
  readonly checkpoint: () => void
}

export type ReplayedMessage = { readonly at: number; readonly channel: string; readonly message: AlertMessage }

/** The messages that channels would have received with these rules, if every channel had answered at once. */
export async function* replayAlerts(options: ReplayOptions): AsyncGenerator<ReplayedMessage> {
  const player = createPlayer(options)
  for await (const batch of options.results) {
    for (const filed of batch) {
      if (filed.result.startedAt > options.to) continue
      yield* player.advance(filed.result.startedAt)
      player.add(filed)
    }
  }
  yield* player.advance(options.to)
  yield* player.decideChanges()
}

type Player = {
  /** Advances the clock, and decides whatever becomes due until then. */
  advance(to: number): Generator<ReplayedMessage>
  /** Results of one instant are decided together, before time passes. */
  add(filed: FiledResult): void
  decideChanges(): Generator<ReplayedMessage>
}

const minutesAtOnce = 60

function createPlayer(options: ReplayOptions): Player {
  const { plan, newId, links, resultsFrom, burnFrom, checkpoint } = options
  const tracker = createTracker()
  const state = loadAlertState({ incidents: [], notified: [], inFlight: [] })
  const burn = createReplayedBurn(plan, { from: resultsFrom, to: options.to }, burnFrom)
  const history = createReplayedHistory(plan, options.history)
  let now = Number.NEGATIVE_INFINITY
  let isStarted = false
  let minutes = 0

  function inputAt(changed: Changed, burnChanged: boolean): DecideInput {
    const { canaryWaitUntil } = history
    const recorded = { silences: history.silences(), unreachable: history.unreachable(), canaryWaitUntil }
    const unrecorded = { agents: () => [], watchingSince: Number.NEGATIVE_INFINITY }
    const common = { ...unrecorded, plan, facts: tracker, newId, links, burn: burn.of, progress: () => 'unsent' as const }
    return { ...common, ...recorded, now, changed, burnChanged }
  }

  function* decideNow({ incidents = new Set<string>(), burnChanged = false } = {}): Generator<ReplayedMessage> {
    const checks = tracker.changed(now)
    applyDecision(state, decide(state, inputAt(isStarted ? { checks, incidents } : 'all', burnChanged)))
    isStarted = true
    yield* deliverAll(state, now, options.from)
  }

  function* decideChanges(): Generator<ReplayedMessage> {
    if (tracker.hasChanged()) yield* decideNow()
  }

  /** Also true while an SLO alert is open: it is read each minute, since it may settle. */
  function measureBurn(): boolean {
    if (++minutes % minutesAtOnce === 0) checkpoint()
    return burn.measure() || [...state.incidents.values()].some((incident) => incident.condition === 'sloBurn' && isOpen(incident))
  }

  function* step(): Generator<ReplayedMessage> {
    const isRecorded = history.nextAt() <= now
    if (isRecorded) history.advance(now, state)
    const burnChanged = burn.nextAt() <= now && measureBurn()
    if (isRecorded || burnChanged || dueAt(state, tracker) <= now)
      yield* decideNow({ burnChanged, incidents: new Set(isRecorded ? state.incidents.keys() : []) })
  }

  const nextAt = () => Math.min(dueAt(state, tracker), burn.nextAt(), history.nextAt())

  return {
    decideChanges,
    *advance(to) {
      if (isStarted && to > now) yield* decideChanges()
      if (!isStarted) {
        now = to
        tracker.define(trackedChecks(plan), now)
        history.advance(now, state)
        yield* decideNow()
      }
      for (let next = nextAt(); next <= to; next = nextAt()) {
        now = Math.max(now, next)
        yield* step()
      }
      now = Math.max(now, to)
    },
    add(filed) {
      tracker.add([filed], now)
      burn.add(filed)
    },
  }
}

function* deliverAll(state: AlertState, now: number, from: number): Generator<ReplayedMessage> {
  for (const delivery of [...state.inFlight.values()].flatMap((byChannel) => [...byChannel.values()])) {
    applyDelivered(state, delivery, now)
    if (now >= from) yield { at: now, channel: delivery.channel, message: delivery.message }
  }
}

/** When something may change without a new result. */
function dueAt(state: AlertState, tracker: FactsTracker): number {
  return Math.min(nextDecisionAt(state) ?? Number.POSITIVE_INFINITY, tracker.nextAt() ?? Number.POSITIVE_INFINITY)
}
