import { createSerialQueue } from '../../concurrency/serial-queue.ts'
import type { FiledResult } from '../../store/store.ts'
import {
  acknowledge,
  applyDecision,
  applyDelivered,
  applyGivenUp,
  type Decision,
  isOpen,
  loadAlertState,
  nextDecisionAt,
  putIncident,
  type StoredAlerts,
} from '../decide/alert-state.ts'
import { decide, makeAllDue, makeDue, makeSilenceDue } from '../decide/decide.ts'
import type { Changed, DecideInput } from '../decide/input.ts'
import type { Delivery, Incident, Notified, Silence } from '../decide/model.ts'
import { type AlertPlan, trackedChecks } from '../decide/plan.ts'
import { createTracker, type FactsTracker } from '../facts/tracker.ts'
import type { AlertChange } from '../outbox/alert-records.ts'

/** The alerts of one account: follows its results, decides, and persists decisions before anything is sent. */
export type AccountAlerts = {
  readonly tracker: FactsTracker
  plan(): AlertPlan
  redefine(plan: AlertPlan): void
  /** Call this once the states of checks are known: before, none of their locations counts as silent. */
  startWatching(): void
  add(results: readonly FiledResult[]): void
  /** Decides again; resolves once the decision is on disk. */
  review(reason: ReviewReason): Promise<void>
  acknowledge(id: string, by: string): Promise<Incident | null>
  /** Returns what the channel knows now. */
  delivered(delivery: Delivery, at: number): Notified
  /** Returns what the channel is assumed to know now. */
  givenUp(delivery: Delivery, at: number): Notified
  isInFlight(delivery: Delivery): boolean
  /** Whether it is held while its subjects are quiet. */
  isHeld(delivery: Delivery): boolean
  input(changed: Changed): DecideInput
  openCount(): number
  state: ReturnType<typeof loadAlertState>
  close(): Promise<void>
}

/**
 * Why to decide again, apart from what is due: everything may have changed, burn rates were measured, agents have reported, or something
 * about these incidents has changed.
 */
type ReviewReason = 'all' | 'burn' | 'agents' | { readonly incidents: Iterable<string> }

type AccountOptions = Pick<DecideInput, 'newId' | 'links' | 'progress' | 'burn' | 'canaryWaitUntil' | 'agents'> & {
  readonly plan: AlertPlan
  readonly stored: StoredAlerts
  readonly now: () => number
  readonly silences: () => readonly Silence[]
  readonly unreachable: () => DecideInput['unreachable']
  readonly commit: (change: AlertChange) => Promise<void>
  /** Called once decided messages are on disk. */
  readonly onDecided: (decision: Decision) => void
  /** Called once a change of an incident is on disk. */
  readonly onChanged: (incident: Incident, change: IncidentChange) => void
  readonly onFailure: (error: unknown) => void
}

export type IncidentChange = 'opened' | 'changed' | 'acknowledged' | 'closed'

/** Upper limit for sleeping until the next timer, since the clock may jump. */
const longestWaitMs = 30_000
const retryCommitMs = 5_000
/** Thousands of checks may change at once, and must not block the main thread. */
export const checksATurn = 200

export function openAccountAlerts(options: AccountOptions): AccountAlerts {
  const { now, commit, onDecided, onChanged, onFailure } = options
  const state = loadAlertState(options.stored)
  const tracker = createTracker()
  let plan = options.plan
  let isPending = false
  let isAllPending = false
  let isBurnPending = false
  let running: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let isWatching = false
  let watchingSince = now()
  let watchedAt = now()
  /** Serializes everything that reads and changes the state. */
  const exclusively = createSerialQueue()
  tracker.define(trackedChecks(plan), now())

  function input(changed: Changed): DecideInput {
    const { newId, links, progress, burn, canaryWaitUntil, agents, silences, unreachable } = options
    const common = { newId, links, progress, burn, canaryWaitUntil, agents, silences: silences(), unreachable: unreachable() }
    return { ...common, now: now(), watchingSince: watch(), changed, plan, facts: tracker, burnChanged: false }
  }

  /** After a pause of the process, or a jump of its clock, agents and locations have to report again before they count as silent. */
  function watch(): number {
    if (!isWatching || Math.abs(now() - watchedAt) > 3 * longestWaitMs) watchingSince = now()
    watchedAt = now()
    return watchingSince
  }

  function review(reason: ReviewReason): Promise<void> {
    isPending = true
    if (reason === 'all') isAllPending = true
    if (reason === 'all' || reason === 'burn') isBurnPending = true
    else if (reason === 'agents') makeSilenceDue(state, plan)
    else makeDue(state, reason.incidents)
    running ??= exclusively(work).finally(() => {
      running = null
      schedule()
    })
    return running
  }

  async function work(): Promise<void> {
    while (isPending && !isClosed) {
      // Batch: changes of the same turn are decided together.
      await new Promise((resolve) => setImmediate(resolve))
      const burnChanged = isBurnPending
      if (isAllPending) makeAllDue(state, plan)
      isPending = isAllPending = isBurnPending = false
      const checks = tracker.changed(now(), checksATurn)
      const decision = decide(state, { ...input({ checks, incidents: new Set() }), burnChanged, limit: checksATurn })
      try {
        if (isWorthWriting(decision)) await commit({ account: plan.account.id, ...decision, now: now() })
      } catch (error) {
        onFailure(error)
        isPending = isAllPending = isBurnPending = true
        return
      }
      isPending ||= decision.isPartial || tracker.hasChanged()
      const changes = decision.incidents.map((incident) => [incident, changeOf(state.incidents.get(incident.id), incident)] as const)
      applyDecision(state, decision)
      for (const [incident, change] of changes) onChanged(incident, change)
      onDecided(decision)
    }
  }

  function schedule(): void {
    clearTimeout(timer)
    if (isClosed) return
    const next = Math.min(nextDecisionAt(state) ?? Number.POSITIVE_INFINITY, tracker.nextAt() ?? Number.POSITIVE_INFINITY)
    const wait = isPending ? retryCommitMs : Math.max(0, Math.min(next - now(), longestWaitMs))
    timer = setTimeout(() => void review({ incidents: openIds() }), wait).unref()
  }

  const openIds = () =>
    [...state.incidents.values()].filter((incident) => isOpen(incident) || state.inFlight.has(incident.id)).map(({ id }) => id)

  return {
    tracker,
    state,
    input,
    openCount: () => [...state.incidents.values()].filter(isOpen).length,
    review,
    plan: () => plan,
    redefine(next) {
      plan = next
      tracker.define(trackedChecks(plan), now())
      void review('all')
    },
    startWatching() {
      if (!isWatching) watchingSince = now()
      isWatching = true
    },
    add(results) {
      tracker.add(results, now())
      void review({ incidents: [] })
    },
    async acknowledge(id, by) {
      const incident = await exclusively(async () => {
        const known = state.incidents.get(id)
        if (!known) return null
        const acknowledged = acknowledge(known, by, now())
        if (acknowledged === known) return known
        await commit({ ...emptyChange, account: plan.account.id, incidents: [acknowledged], now: now() })
        putIncident(state, acknowledged)
        onChanged(acknowledged, 'acknowledged')
        return acknowledged
      })
      if (incident) await review({ incidents: [id] })
      return incident
    },
    delivered: (delivery, at) => applyDelivered(state, delivery, at),
    givenUp: (delivery, at) => applyGivenUp(state, delivery, at),
    isHeld: ({ message }) => state.held.has(message.id),
    isInFlight: ({ incident, channel, message }) => state.inFlight.get(incident)?.get(channel)?.message.id === message.id,
    async close() {
      isClosed = true
      clearTimeout(timer)
      await running
    },
  }
}

export const emptyChange = { incidents: [], notified: [], deliveries: [], superseded: [], finished: [] } as const

function changeOf(before: Incident | undefined, { closedAt }: Incident): IncidentChange {
  const wasOpen = before?.closedAt === null
  if (closedAt === null) return wasOpen ? 'changed' : 'opened'
  return wasOpen || before === undefined ? 'closed' : 'changed'
}

function isWorthWriting({ incidents, notified, deliveries, superseded, finished }: Decision): boolean {
  return [incidents, notified, deliveries, superseded, finished].some(({ length }) => length > 0)
}
