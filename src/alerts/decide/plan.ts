import type { Check } from '../../catalogue/catalogue.ts'
import { type AlertRule, type Policies, ruleSelector, type Slo, selector } from '../../catalogue/policies/policies.ts'
import { ruleForCheck } from '../../catalogue/policies/subscriptions.ts'
import { rhythmOf } from '../../catalogue/rhythm.ts'
import type { ChannelType } from '../channels/channel.ts'
import type { TrackedCheck } from '../facts/check-track.ts'

/** The alert configuration of an account, prepared for decisions. */
export type AlertPlan = {
  readonly account: { readonly id: string; readonly name: string }
  readonly policies: Policies
  readonly checks: ReadonlyMap<string, Check>
  readonly rules: ReadonlyMap<string, AlertRule>
  /** Rules by the id of a check that they select, with its own alert settings applied. */
  readonly rulesOf: ReadonlyMap<string, readonly AlertRule[]>
  readonly selected: ReadonlyMap<AlertRule, readonly Check[]>
  /** The SLOs of a burn rate rule: those that it names, or else those with a check that it selects. */
  readonly slosOf: ReadonlyMap<AlertRule, readonly Slo[]>
  /** Repeat interval of open incidents by channel id; null for none. */
  readonly channels: ReadonlyMap<string, number | null>
  /** Direct and indirect dependencies of a check, nearest first. At most `maxFollowed` references are followed. */
  readonly ancestors: ReadonlyMap<string, readonly string[]>
  /** The inverse of `ancestors`: the checks that depend on a check. */
  readonly dependents: ReadonlyMap<string, readonly string[]>
  /** Rules about failing checks, by the locations of the checks that they select. */
  readonly rulesByLocation: ReadonlyMap<string, readonly AlertRule[]>
}

/** The `repeatEveryMs` that `planAlerts` needs. */
export const repeatsOf = (channelTypes: readonly Pick<ChannelType, 'type' | 'repeatEveryMs'>[]) => (type: string) =>
  channelTypes.find((each) => each.type === type)?.repeatEveryMs ?? null

type PlanSource = {
  readonly account: { readonly id: string; readonly name: string }
  readonly policies: Policies
  readonly checks: readonly Check[]
  /** By the type of a channel. */
  readonly repeatEveryMs: (type: string) => number | null
}

export function planAlerts({ account, policies, checks, repeatEveryMs }: PlanSource): AlertPlan {
  const byId = new Map(checks.map((check) => [check.id, check]))
  const selected = new Map(policies.alerts.map((rule) => [rule, checks.filter(ruleSelector(rule))]))
  const ancestors = new Map(checks.filter(({ dependsOn }) => dependsOn.length > 0).map(({ id }) => [id, ancestorsOf(id, byId)]))
  return {
    account,
    policies,
    checks: byId,
    rules: new Map(policies.alerts.map((rule) => [rule.id, rule])),
    rulesOf: listsOf([...selected].flatMap(([rule, chosen]) => chosen.map((check) => [check.id, ruleForCheck(rule, check)] as const))),
    selected,
    slosOf: new Map([...selected].map(([rule, chosen]) => [rule, slosOf(rule, chosen, policies.slos)])),
    channels: new Map(policies.channels.map(({ id, type }) => [id, repeatEveryMs(type)])),
    ancestors,
    dependents: listsOf(dependencies(ancestors)),
    rulesByLocation: listsOf(
      [...selected]
        .filter(([{ when }]) => when.kind === 'failing')
        .flatMap(([rule, chosen]) => [...new Set(chosen.flatMap(({ locations }) => locations))].map((name) => [name, rule] as const)),
    ),
  }
}

/** What to track about each check for these rules. */
export function trackedChecks({ checks, rulesOf }: AlertPlan): readonly TrackedCheck[] {
  return Array.from(checks.values(), (check) => {
    const rules = rulesOf.get(check.id) ?? []
    const runs = rules
      .flatMap(({ after, recoverAfter }) => [after, recoverAfter])
      .map((threshold) => ('runs' in threshold ? threshold.runs : 1))
    return {
      id: check.id,
      rhythm: rhythmOf(check),
      expectedAt: check.activated && rules.length > 0 ? check.locations : [],
      quorums: [...new Set(rules.map(({ quorum }) => quorum))],
      runs: Math.max(1, ...runs),
      durationMetric: check.checkType.duration,
    }
  })
}

function slosOf({ when }: AlertRule, chosen: readonly Check[], slos: readonly Slo[]): readonly Slo[] {
  if (when.kind !== 'sloBurn') return []
  return slos.filter((slo) => (when.slos.length > 0 ? when.slos.includes(slo.id) : chosen.some(selector(slo))))
}

/**
 * Bounds memory: in a chain of thousands of checks, all ancestors of all of them would not fit. The nearest ones suffice, since they are
 * down when farther ones are.
 */
const maxFollowed = 200

function ancestorsOf(id: string, checks: ReadonlyMap<string, Check>): readonly string[] {
  const found = new Set([id])
  let followed = 0
  // Breadth first: a set iterates in insertion order, including items that are added during the iteration.
  for (const each of found) {
    for (const parent of checks.get(each)?.dependsOn ?? []) if (followed++ < maxFollowed) found.add(parent)
    if (followed >= maxFollowed) break
  }
  found.delete(id)
  return [...found]
}

/** Pairs of a check and one that depends on it; lazy, since there may be millions. */
function* dependencies(ancestors: ReadonlyMap<string, readonly string[]>): Generator<readonly [ancestor: string, id: string]> {
  for (const [id, all] of ancestors) for (const ancestor of all) yield [ancestor, id]
}

function listsOf<Key, Item>(pairs: Iterable<readonly [Key, Item]>): ReadonlyMap<Key, readonly Item[]> {
  const lists = new Map<Key, Item[]>()
  for (const [key, item] of pairs) {
    const list = lists.get(key)
    if (list) list.push(item)
    else lists.set(key, [item])
  }
  return lists
}
