import {
  type AlertState,
  acknowledge,
  applyDecision,
  applyDelivered,
  applyGivenUp,
  loadAlertState,
  nextDecisionAt,
  putIncident,
} from '../../src/alerts/decide/alert-state.ts'
import { decide, makeAllDue, makeDue, makeSilenceDue } from '../../src/alerts/decide/decide.ts'
import type { BurnFacts, Changed, DecideInput } from '../../src/alerts/decide/input.ts'
import type { Delivery, Incident, Notified, Silence } from '../../src/alerts/decide/model.ts'
import { type AlertPlan, planAlerts, trackedChecks } from '../../src/alerts/decide/plan.ts'
import { createTracker, type FactsTracker } from '../../src/alerts/facts/tracker.ts'
import { type AgentSighting, createAgentSightings } from '../../src/alerts/loop/agent-sightings.ts'
import type { SeenAgent } from '../../src/alerts/outbox/alert-records.ts'
import type { Check } from '../../src/catalogue/catalogue.ts'
import { type AlertRule, noPolicies, type Policies } from '../../src/catalogue/policies/policies.ts'
import type { CheckType } from '../../src/checks/define.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import type { FiledResult, NewResult } from '../../src/store/store.ts'
import { testCheck } from './catalogue.ts'

/** A check that runs every minute at one location with parallel runs. */
export function alertCheck(id: string, more: Partial<Check> = {}): Check {
  return testCheck(checkTypes.find(({ pingSettings }) => !pingSettings) as CheckType, {
    id,
    name: id,
    tags: [],
    locations: ['eu'],
    runParallel: true,
    createdAt: 0,
    updatedAt: 0,
    ...more,
  })
}

/** A rule for all failing checks that notifies the channel `chat` immediately. */
export function alertRule(more: Partial<AlertRule> = {}): AlertRule {
  return {
    id: 'rule',
    checks: [],
    tags: [],
    when: { kind: 'failing' },
    after: { runs: 1 },
    recoverAfter: { runs: 1 },
    quorum: 1,
    steps: [{ afterMs: 0, to: ['chat'], during: null, outside: 'hold' }],
    remind: null,
    group: { by: 'none', waitMs: 0 },
    severity: 'critical',
    ...more,
  }
}

export type Outcome = 'up' | 'degraded' | 'down'

/** A message to a channel: `time channel event title`. */
export type Line = string

export type WorldOptions = {
  readonly checks: readonly Check[]
  readonly rules?: readonly AlertRule[]
  readonly policies?: Partial<Policies>
  /** How often messages to channels of type `repeats` are repeated. */
  readonly repeatEveryMs?: number
  /** Approximate number of checks and members per decision. Unlike the real loop, the default is no limit. */
  readonly limit?: number
}

/** Outcome of a delivery attempt: it succeeds, fails, succeeds but its response is lost, or succeeds with a late response. */
export type Weather = 'delivers' | 'fails' | 'ambiguous' | 'slow'

/** An account with results, a clock and channels. Alerts are decided and delivered synchronously. */
export class AlertWorld {
  now: number
  readonly lines: Line[] = []
  readonly received: { readonly at: number; readonly channel: string; readonly delivery: Delivery; readonly isConfirmed: boolean }[] = []
  readonly tracker: FactsTracker = createTracker()
  plan: AlertPlan
  state: AlertState = loadAlertState({ incidents: [], notified: [], inFlight: [] })
  silences: Silence[] = []
  readonly unreachable = new Map<string, number>()
  /** When canary probes last began, by location. Locations without an entry are not awaited. */
  readonly probed = new Map<string, number>()
  burn: BurnFacts | null = null
  agents: ReturnType<typeof createAgentSightings>
  watchingSince = Number.NEGATIVE_INFINITY
  /** Agents as stored on disk. */
  readonly #seen = new Map<string, SeenAgent>()
  readonly weather = new Map<string, Weather>()
  /** Ids of messages that cannot have arrived, and of messages that are being sent. */
  readonly #unsent = new Set<string>()
  readonly #attempting = new Set<string>()
  readonly #options: WorldOptions
  #isStopped = false
  #ids = 0
  /** Channels and subjects of abandoned messages. */
  readonly givenUp = new Set<string>()
  policies: Partial<Policies>
  #results = 0

  constructor(options: WorldOptions, now: number) {
    this.now = now
    this.#options = options
    this.policies = options.policies ?? {}
    this.agents = this.#openAgents()
    this.plan = this.#planOf(options.checks, options.rules ?? [alertRule()])
    this.tracker.define(trackedChecks(this.plan), now)
    this.decide('all')
  }

  #planOf(checks: readonly Check[], alerts: readonly AlertRule[]): AlertPlan {
    const { repeatEveryMs = null } = this.#options
    const channels = [...new Set(alerts.flatMap(({ steps }) => steps.flatMap(({ to }) => to)))]
    const known = channels.map((id) => ({ id, type: id.startsWith('repeat') ? 'repeats' : 'plain', settings: {}, secrets: [] }))
    return planAlerts({
      account: { id: 'acme', name: 'Acme' },
      policies: { ...noPolicies, channels: known, alerts, ...this.policies },
      checks,
      repeatEveryMs: (type) => (type === 'repeats' ? repeatEveryMs : null),
    })
  }

  #openAgents(): AlertWorld['agents'] {
    return createAgentSightings({
      now: () => this.now,
      stored: [...this.#seen.values()],
      record: async (seen, forgotten) => {
        for (const { location, instance } of forgotten) this.#seen.delete(`${location} ${instance}`)
        for (const agent of seen) this.#seen.set(`${agent.location} ${agent.instance}`, agent)
      },
      onNews: () => {},
    })
  }

  /** Simulates processes that report an agent. */
  hearAgent(location: string, instance: string, more: Partial<AgentSighting> = {}): void {
    const about = { account: 'acme', location, instance, name: instance, session: '1', isStopped: false, agoMs: 0 }
    void this.agents.hear([{ ...about, ...more }])
    makeSilenceDue(this.state, this.plan)
    this.decide()
  }

  reconfigure(checks: readonly Check[], rules: readonly AlertRule[]): void {
    this.plan = this.#planOf(checks, rules)
    this.tracker.define(trackedChecks(this.plan), this.now)
    this.decide('all')
  }

  /** Stops decisions until `restart`. Results are still stored. */
  stop(): void {
    this.#isStopped = true
  }

  /** Reloads the state that would be on disk. */
  restart(): void {
    this.#isStopped = false
    const inFlight = [...this.state.inFlight.values()].flatMap((byChannel) => [...byChannel.values()])
    const notified = [...this.state.notified.values()].flatMap((byChannel) => [...byChannel.values()])
    this.state = loadAlertState(JSON.parse(JSON.stringify({ incidents: [...this.state.incidents.values()], notified, inFlight })))
    this.#unsent.clear()
    this.#attempting.clear()
    this.agents = this.#openAgents()
    this.watchingSince = this.now
    this.decide('all')
  }

  input(changed: Changed): DecideInput {
    return {
      now: this.now,
      changed,
      plan: this.plan,
      facts: this.tracker,
      silences: this.silences,
      unreachable: this.unreachable,
      canaryWaitUntil: (location, failedAt) => {
        const until = failedAt + 10_000
        return (this.probed.get(location) ?? failedAt) < failedAt && this.now >= failedAt && this.now < until ? until : null
      },
      agents: (location) => this.agents.of('acme', location),
      watchingSince: this.watchingSince,
      burn: () => this.burn,
      burnChanged: true,
      progress: ({ message: { id } }) => (this.#attempting.has(id) ? 'attempting' : this.#unsent.has(id) ? 'unsent' : 'uncertain'),
      newId: () => `${++this.#ids}`,
      links: { incident: () => ({ incident: null, acknowledge: null }), check: () => ({ check: null, run: null }) },
    }
  }

  decide(changed: Changed = { checks: new Set(), incidents: new Set() }): void {
    if (this.#isStopped) return
    const { limit } = this.#options
    if (limit !== undefined) {
      if (changed === 'all') makeAllDue(this.state, this.plan)
      else makeDue(this.state, changed.incidents)
    }
    for (let isPartial = true; isPartial; ) {
      const decision = decide(this.state, { ...this.input(this.#changedNow(changed)), ...(limit !== undefined && { limit }) })
      isPartial = decision.isPartial || this.tracker.hasChanged()
      applyDecision(this.state, decision)
      for (const { message } of decision.deliveries) this.#unsent.add(message.id)
      this.#send()
    }
  }

  #changedNow(changed: Changed): Changed {
    const { limit } = this.#options
    const checks = this.tracker.changed(this.now, limit)
    if (limit !== undefined) return { checks, incidents: new Set() }
    return changed === 'all' ? 'all' : { checks: new Set([...changed.checks, ...checks]), incidents: changed.incidents }
  }

  #inFlight(): readonly Delivery[] {
    return [...this.state.inFlight.values()].flatMap((byChannel) => [...byChannel.values()])
  }

  #send(): void {
    for (const delivery of this.#inFlight()) {
      const { channel, message } = delivery
      const weather = this.weather.get(channel) ?? 'delivers'
      if (weather === 'fails' || this.state.held.has(message.id) || this.#attempting.has(message.id)) continue
      this.#unsent.delete(message.id)
      this.received.push({ at: this.now, channel, delivery, isConfirmed: weather === 'delivers' })
      this.lines.push(`${(this.now - start) / 1000} ${channel} ${message.event} ${message.title}`)
      if (weather === 'slow') this.#attempting.add(message.id)
      if (weather === 'delivers') applyDelivered(this.state, delivery, this.now)
    }
  }

  /** Completes pending attempts, with or without a response. */
  endAttempts(isAnswered: boolean): void {
    for (const delivery of this.#inFlight()) {
      if (this.#attempting.delete(delivery.message.id) && isAnswered) applyDelivered(this.state, delivery, this.now)
    }
    this.decide()
  }

  /** Abandons all pending messages to a channel. */
  giveUp(channel: string): void {
    for (const delivery of this.#inFlight()) {
      const { message } = delivery
      if (delivery.channel !== channel || this.#attempting.has(message.id)) continue
      for (const { name } of message.subjects) this.givenUp.add([channel, message.rule, message.condition, name].join(' '))
      applyGivenUp(this.state, delivery, this.now)
    }
    this.decide()
  }

  /** Retries pending messages, after checking whether they are still true. */
  retry(): void {
    this.decide({ checks: new Set(), incidents: new Set(this.state.inFlight.keys()) })
  }

  result(checkId: string, outcome: Outcome, more: Partial<NewResult> = {}): void {
    this.results([[checkId, outcome, more]])
  }

  results(all: readonly (readonly [checkId: string, outcome: Outcome, more?: Partial<NewResult>])[]): void {
    const filed = all.map(([checkId, outcome, more]) => this.filed(checkId, outcome, more))
    this.tracker.add(filed, this.now)
    this.decide()
  }

  filed(checkId: string, outcome: Outcome, more: Partial<NewResult> = {}): FiledResult {
    const flags = { hasFailures: outcome === 'down', isDegraded: outcome === 'degraded', hasErrors: false, overMaxResponseTime: false }
    const error = outcome === 'down' ? 'refused' : null
    const id = `r${++this.#results}`
    const result = { id, startedAt: this.now, runLocation: 'eu', ...flags, attempts: 1, state: null, error, values: {}, pages: [], ...more }
    return { check: { account: 'acme', checkId }, result }
  }

  /** Advances time, and decides whenever a change can be due to time alone. */
  advance(ms: number): void {
    const end = this.now + ms
    for (let steps = 0; steps < 10_000; steps++) {
      const next = Math.min(nextDecisionAt(this.state) ?? end, this.tracker.nextAt() ?? end, end)
      this.now = Math.max(this.now, next)
      if (this.now >= end) break
      this.decide()
    }
    this.now = end
    this.decide()
  }

  acknowledge(by = 'ann'): void {
    for (const incident of this.state.incidents.values()) putIncident(this.state, acknowledge(incident, by, this.now))
    this.decide('all')
  }

  notified(channel: string): readonly Notified[] {
    return [...this.state.notified.values()].flatMap((byChannel) => byChannel.get(channel) ?? [])
  }

  incidents(): readonly Incident[] {
    return [...this.state.incidents.values()]
  }
}

export const start = Date.UTC(2026, 10, 16, 10, 2)
