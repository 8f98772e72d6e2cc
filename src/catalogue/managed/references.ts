import type { DefinitionFault } from '../../checks/wire-reader.ts'
import { tokenHash } from '../build.ts'
import type { Catalogue } from '../catalogue.ts'
import type { CheckDefinition } from '../definitions.ts'
import { subscriptionsOf, type WithAlertFields } from '../policies/alert-fields.ts'
import { channelKind } from './parse-channel.ts'
import { noResources, type Resources } from './resources.ts'

/** Validates references of a check within its account. `catalogue` may contain an earlier version of the check. */
export function referenceFaults(
  check: CheckDefinition,
  catalogue: Catalogue,
  resources: Resources = noResources,
): readonly DefinitionFault[] {
  const { account, id } = check
  const rules = new Set(catalogue.policies(account).alerts.map((rule) => rule.id))
  const token = tokenHash(check)
  const owner = token === '' ? undefined : catalogue.checkByPingToken(token)
  return [
    ...check.dependsOn.flatMap((other, index) =>
      other === id || catalogue.check(account, other) ? [] : [fault(`/dependsOn/${index}`, `there is no check with the id ${other}`)],
    ),
    ...cycleFaults(check, catalogue),
    ...(check.alerts ?? []).flatMap((rule, index) =>
      rules.has(rule) ? [] : [fault(`/alerts/${index}`, `there is no alert rule with the id ${rule}`)],
    ),
    ...subscriptionFaults(check, catalogue, resources),
    ...(owner && !(owner.account === account && owner.id === id) ? [fault('', 'another check has this ping token')] : []),
    ...(token !== '' && catalogue.accountByPingKey(token) ? [fault('', 'its ping token is the ping key of an account')] : []),
  ]
}

const fault = (pointer: string, message: string): DefinitionFault => ({ pointer, message })

/** Subscriptions that the check had before are accepted, because their channels may have been deleted since. */
function subscriptionFaults(check: CheckDefinition, catalogue: Catalogue, resources: Resources): readonly DefinitionFault[] {
  const { account, id } = check
  const wanted = subscriptionsOf(check.written as WithAlertFields)
  const before = wanted.length === 0 ? undefined : catalogue.check(account, id)
  const known = new Set((before ? subscriptionsOf(before.written as WithAlertFields) : []).map(({ alertChannelId }) => alertChannelId))
  return wanted.flatMap(({ alertChannelId }, index) => {
    if (known.has(alertChannelId) || resources.find({ kind: channelKind, account, id: String(alertChannelId) })) return []
    const pointer = `/clientFields/alertChannelSubscriptions/${index}/alertChannelId`
    return [
      fault(
        pointer,
        `there is no managed alert channel with the id ${alertChannelId}; channels of the config file are notified by its rules`,
      ),
    ]
  })
}

/** In a cycle, no check would ever alert. Dependencies that the check already has were validated when they were added. */
function cycleFaults(check: CheckDefinition, catalogue: Catalogue): readonly DefinitionFault[] {
  const { account, id, dependsOn } = check
  const [, first] = cycleOf(check, catalogue, catalogue.check(account, id)?.dependsOn) ?? []
  return first === undefined
    ? []
    : [
        fault(
          `/dependsOn/${dependsOn.indexOf(first)}`,
          `${first} depends on this check, and checks must not depend on each other in a cycle`,
        ),
      ]
}

/** The ids of a cycle through a check, starting with the check; null if there is none. Dependencies in `tried` are skipped. */
export function cycleOf(
  { account, id, dependsOn }: CheckDefinition,
  catalogue: { check(account: string, id: string): Pick<CheckDefinition, 'dependsOn'> | undefined },
  tried: readonly string[] = [],
): readonly string[] | null {
  const skipped = new Set(tried)
  const reachedFrom = new Map<string, string>()
  const stack: string[] = []
  const reach = (other: string, from: string) => {
    if (skipped.has(other) || reachedFrom.has(other)) return
    reachedFrom.set(other, from)
    stack.push(other)
  }
  for (const other of dependsOn) reach(other, id)
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (next === id) return [id, ...trail(id, reachedFrom)]
    for (const other of catalogue.check(account, next)?.dependsOn ?? []) reach(other, next)
  }
  return null
}

/** The ids between a check and itself along the cycle. */
function trail(id: string, reachedFrom: ReadonlyMap<string, string>): readonly string[] {
  const found: string[] = []
  for (let step = reachedFrom.get(id); step !== undefined && step !== id; step = reachedFrom.get(step)) found.unshift(step)
  return found.length > 0 ? found : [id]
}

type Ref = { readonly account: string; readonly id: string }

/** Checks and policies that refer to a check by its id. */
export function usersOf({ account, id }: Ref, catalogue: Catalogue): readonly string[] {
  const policies = policiesAmong(account, new Set([id]), catalogue).get(id) ?? []
  return [...catalogue.dependents(account, id).map((dependent) => `check ${dependent}`), ...policies]
}

/** The users of each of these checks, except the checks themselves. Takes one pass over all checks and policies. */
export function usersOfAny(account: string, ids: readonly string[], catalogue: Catalogue): ReadonlyMap<string, readonly string[]> {
  const chosen = new Set(ids)
  const users = policiesAmong(account, chosen, catalogue)
  for (const [id, dependents] of dependentsAmong(catalogue.checks(account), chosen))
    for (const other of dependents) if (!chosen.has(other)) addTo(users, id, `check ${other}`)
  return users
}

/** The policies that refer to each of the chosen checks. */
function policiesAmong(account: string, chosen: ReadonlySet<string>, catalogue: Catalogue): Map<string, string[]> {
  const { maintenance, slos, alerts } = catalogue.policies(account)
  const found = new Map<string, string[]>()
  const collect = (user: string, checks: readonly string[]) => {
    for (const id of new Set(checks)) if (chosen.has(id)) addTo(found, id, user)
  }
  for (const { name, checks } of maintenance) collect(`maintenance ${name}`, checks)
  for (const { name, checks } of slos) collect(`SLO ${name}`, checks)
  for (const { id, checks } of alerts) collect(`alert rule ${id}`, checks)
  return found
}

/** Splits checks into those that can be deleted together, dependents first, and those in use, with their users. */
export function removableTogether(account: string, ids: readonly string[], catalogue: Catalogue) {
  const going = new Set(ids)
  const dependents = dependentsAmong(catalogue.checks(account), going)
  const policies = policiesAmong(account, going, catalogue)
  const inUse = new Map<string, readonly string[]>()
  const usersNow = (id: string) => [
    ...(dependents.get(id) ?? []).filter((other) => !going.has(other)).map((other) => `check ${other}`),
    ...(policies.get(id) ?? []),
  ]
  for (let before = Number.POSITIVE_INFINITY; going.size < before; ) {
    before = going.size
    for (const id of going) if (usersNow(id).length > 0) going.delete(id)
  }
  for (const id of ids) if (!going.has(id)) inUse.set(id, usersNow(id))
  return { removable: dependentsFirst(going, dependents), inUse }
}

function dependentsAmong(checks: readonly Pick<CheckDefinition, 'id' | 'dependsOn'>[], chosen: ReadonlySet<string>) {
  const found = new Map<string, string[]>()
  for (const { id, dependsOn } of checks) for (const other of dependsOn) if (chosen.has(other)) addTo(found, other, id)
  return found
}

function addTo(lists: Map<string, string[]>, key: string, item: string): void {
  const known = lists.get(key)
  if (known) known.push(item)
  else lists.set(key, [item])
}

/** `ids` must include all dependents of each id. */
function dependentsFirst(ids: Iterable<string>, dependents: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const ordered: string[] = []
  const seen = new Set<string>()
  const add = (id: string) => {
    if (seen.has(id)) return
    seen.add(id)
    for (const other of dependents.get(id) ?? []) add(other)
    ordered.push(id)
  }
  for (const id of ids) add(id)
  return ordered
}
