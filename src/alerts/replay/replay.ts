import type { FiledResult } from '../../store/store.ts'
import type { AlertMessage } from '../channels/message.ts'
import { decide } from '../decide/decide.ts'
import type { DecideInput, MessageLinks } from '../decide/input.ts'
import { type AlertPlan, trackedChecks } from '../decide/plan.ts'
import { type AlertState, applyDecision, applyDelivered, loadAlertState, nextDecisionAt } from '../decide/state.ts'
import { createTracker, type FactsTracker } from '../facts/tracker.ts'

export type ReplayOptions = {
  readonly plan: AlertPlan
  /** Results of all checks, oldest first. Those before `from` tell nothing; they show how things stood. */
  readonly results: AsyncIterable<readonly FiledResult[]>
  readonly from: number
  readonly to: number
  readonly newId: () => string
  readonly links: MessageLinks
}

export type ReplayedMessage = { readonly at: number; readonly channel: string; readonly message: AlertMessage }

/** What channels would have been told, had these rules been in force and every channel answered at once. */
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
  /** Lets time pass, with all that it changes. */
  advance(to: number): Generator<ReplayedMessage>
  /** Results of one instant are decided together, before time passes. */
  add(filed: FiledResult): void
  decideChanges(): Generator<ReplayedMessage>
}

function createPlayer(options: ReplayOptions): Player {
  const tracker = createTracker()
  const state = loadAlertState({ incidents: [], told: [], inFlight: [] })
  let now = Number.NEGATIVE_INFINITY
  let isStarted = false

  function* decideNow(): Generator<ReplayedMessage> {
    const checks = tracker.changed(now)
    const changed = isStarted ? { checks, incidents: new Set<string>() } : 'all'
    isStarted = true
    applyDecision(state, decide(state, inputAt(options, { tracker, now, changed })))
    yield* deliverAll(state, now, options.from)
  }

  function* decideChanges(): Generator<ReplayedMessage> {
    if (tracker.hasChanged()) yield* decideNow()
  }

  return {
    decideChanges,
    *advance(to) {
      if (isStarted && to > now) yield* decideChanges()
      if (!isStarted) {
        now = to
        tracker.define(trackedChecks(options.plan), now)
        yield* decideNow()
      }
      for (let next = nextAt(state, tracker); next <= to; next = nextAt(state, tracker)) {
        now = Math.max(now, next)
        yield* decideNow()
      }
      now = Math.max(now, to)
    },
    add: (filed) => tracker.add([filed], now),
  }
}

type Moment = { readonly tracker: FactsTracker; readonly now: number; readonly changed: DecideInput['changed'] }

function inputAt({ plan, newId, links }: ReplayOptions, { tracker, now, changed }: Moment): DecideInput {
  const nothing = { silences: [], unreachable: new Map(), burn: () => null, burnChanged: false, progress: () => 'unsent' as const }
  return { now, changed, plan, facts: tracker, newId, links, ...nothing }
}

function* deliverAll(state: AlertState, now: number, from: number): Generator<ReplayedMessage> {
  for (const delivery of [...state.inFlight.values()].flatMap((byChannel) => [...byChannel.values()])) {
    applyDelivered(state, delivery, now)
    if (now >= from) yield { at: now, channel: delivery.channel, message: delivery.message }
  }
}

function nextAt(state: AlertState, tracker: FactsTracker): number {
  return Math.min(nextDecisionAt(state) ?? Number.POSITIVE_INFINITY, tracker.nextAt() ?? Number.POSITIVE_INFINITY)
}
