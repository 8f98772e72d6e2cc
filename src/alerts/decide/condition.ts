import type { AlertRule, BurnPair, Slo, Threshold } from '../../catalogue/policies/policies.ts'
import type { CheckFacts } from '../facts/check-facts.ts'
import type { BurnFacts, MeasuredBurn } from './input.ts'

/** How a rule's condition evaluates for a subject: it holds, is clear, or is not known to have changed. */
export type Reading = {
  readonly status: 'holds' | 'clear' | 'neutral'
  /** Since when it holds or is clear. */
  readonly since: number
  /** For how many runs it has held or been clear. */
  readonly runs: number
}

/** Not known to hold, nor to be clear. */
export const neutral: Reading = { status: 'neutral', since: 0, runs: 0 }
/** For conditions that do not count runs. */
export const manyRuns = Number.POSITIVE_INFINITY

export function readFailing(facts: CheckFacts, { quorum }: Pick<AlertRule, 'quorum'>): Reading {
  const found = facts.states.get(quorum)
  if (found?.state === 'down') return { status: 'holds', since: found.since, runs: found.runs }
  if (!found || found.notDownSince === null) return neutral
  return { status: 'clear', since: found.notDownSince, runs: found.notDownRuns }
}

/** Opens when the check is degraded, and stays open until it is up, even while it is down. */
export function readDegraded(facts: CheckFacts, { quorum }: Pick<AlertRule, 'quorum'>): Reading {
  const found = facts.states.get(quorum)
  if (found?.state === 'degraded') return { status: 'holds', since: found.since, runs: found.runs }
  return found?.state === 'up' ? { status: 'clear', since: found.since, runs: found.runs } : neutral
}

export function readCertificate({ certificateDays }: CheckFacts, days: number, now: number): Reading {
  if (certificateDays === null) return neutral
  return { status: certificateDays <= days ? 'holds' : 'clear', since: now, runs: manyRuns }
}

const leastBadRuns = 3

type BurnQuestion = {
  readonly slo: Slo
  readonly pairs: readonly BurnPair[]
  readonly burn: (slo: Slo, pair: BurnPair) => MeasuredBurn
  readonly now: number
}

/** Holds if both windows of a pair burn too fast; clear once all pairs are measured and no short window does. */
export function readBurn({ slo, pairs, burn, now }: BurnQuestion): Reading {
  const measured = pairs.map((pair) => ({ factor: pair.factor, facts: burn(slo, pair) }))
  const found = measured.flatMap(({ factor, facts }) => (facts === null || facts === 'unmeasured' ? [] : [{ ...facts, factor }]))
  const burns = ({ long, short, badRuns, factor }: BurnFacts & { readonly factor: number }) =>
    long >= factor && short >= factor && badRuns >= leastBadRuns
  if (found.some(burns)) return { status: 'holds', since: now, runs: manyRuns }
  if (found.length === 0 || measured.some(({ facts }) => facts === 'unmeasured')) return neutral
  return found.every(({ short, factor }) => short < factor) ? { status: 'clear', since: now, runs: manyRuns } : neutral
}

export function isReached(threshold: Threshold, { since, runs }: Reading, now: number): boolean {
  return 'runs' in threshold ? runs >= threshold.runs : now >= since + threshold.timeMs
}

/** When a time threshold is reached; null for a threshold in runs. */
export function reachedAt(threshold: Threshold, { since }: Reading): number | null {
  return 'runs' in threshold ? null : since + threshold.timeMs
}
