import type { BurnPair, Slo } from '../../catalogue/policies/policies.ts'
import type { CheckFacts, FactsView } from '../facts/check-facts.ts'
import type { Delivery, Incident, Silence } from './model.ts'
import type { AlertPlan } from './plan.ts'

/** Burn rates of an SLO in both windows of a pair, and the number of bad runs in the long one. */
export type BurnFacts = { readonly long: number; readonly short: number; readonly badRuns: number }

/** Null if nothing counts in one of the windows; `unmeasured` for example after a start, or if the store does not answer. */
export type MeasuredBurn = BurnFacts | null | 'unmeasured'

/** Links in messages; null for no link. */
export type MessageLinks = {
  incident(incident: Pick<Incident, 'id'>): { readonly incident: string | null; readonly acknowledge: string | null }
  check(checkId: string, result: CheckFacts['newestFailing']): { readonly check: string | null; readonly run: string | null }
}

/**
 * The scope of a decision: everything, for example after a start or a change of the config file or of silences; or recent changes, in
 * addition to what is due.
 */
export type Changed = 'all' | { readonly checks: ReadonlySet<string>; readonly incidents: ReadonlySet<string> }

/**
 * - `unsent`: the channel cannot have it
 * - `attempting`: an attempt is in progress; nothing is decided until it has ended
 * - `uncertain`: the channel may have it, since an attempt had no clear outcome, or began before a restart
 */
export type Progress = 'unsent' | 'attempting' | 'uncertain'

/** An agent that is expected to report: it has not announced its stop. */
export type AgentFacts = {
  readonly instance: string
  /** Its display name; null for none. */
  readonly name: string | null
  readonly lastAt: number
  /** When it is forgotten, unless it reports before. */
  readonly forgottenAt: number
}

export type DecideInput = {
  readonly now: number
  readonly changed: Changed
  readonly plan: AlertPlan
  readonly facts: FactsView
  readonly silences: readonly Silence[]
  /** Locations that cannot reach any of their canaries, and since when. */
  readonly unreachable: ReadonlyMap<string, number>
  /** Until when to wait for a probe of the canaries of a location that began after this failure was reported; null for no wait. */
  readonly canaryWaitUntil: (location: string, failedAt: number) => number | null
  /** The agents of a location that are expected to report. */
  readonly agents: (location: string) => readonly AgentFacts[]
  /** Since when results and reports of agents have arrived without a pause. */
  readonly watchingSince: number
  /** Called only with `burnChanged`, or when everything is decided. */
  readonly burn: (slo: Slo, pair: BurnPair) => MeasuredBurn
  readonly burnChanged: boolean
  /** Limit of due checks, and of members of incidents, per decision; absent for none. */
  readonly limit?: number
  readonly progress: (delivery: Delivery) => Progress
  readonly newId: () => string
  readonly links: MessageLinks
}
