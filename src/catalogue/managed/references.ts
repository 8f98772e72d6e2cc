import { tokenHash } from '../build.ts'
import type { Catalogue } from '../catalogue.ts'
import type { CheckDefinition } from '../definitions.ts'
import type { DefinitionFault } from './parse-managed.ts'

/** What is wrong with how a check refers to others of its account; `catalogue` may have an earlier version of it. */
export function referenceFaults(check: CheckDefinition, catalogue: Catalogue): readonly DefinitionFault[] {
  const { account, id } = check
  const rules = new Set(catalogue.policies(account).alerts.map((rule) => rule.id))
  const token = tokenHash(check)
  const owner = token === '' ? undefined : catalogue.checkByPingToken(token)
  return [
    ...check.dependsOn.flatMap((other, index) =>
      other === id || catalogue.check(account, other) ? [] : [fault(`/dependsOn/${index}`, `there is no check with the id ${other}`)],
    ),
    ...circleFaults(check, catalogue),
    ...(check.alerts ?? []).flatMap((rule, index) =>
      rules.has(rule) ? [] : [fault(`/alerts/${index}`, `there is no alert rule with the id ${rule}`)],
    ),
    ...(owner && !(owner.account === account && owner.id === id) ? [fault('', 'another check has this ping token')] : []),
  ]
}

const fault = (pointer: string, message: string): DefinitionFault => ({ pointer, message })

/** In a circle, no check would ever be told of. What it depends on already was tried when that was written. */
function circleFaults({ account, id, dependsOn }: CheckDefinition, catalogue: Catalogue): readonly DefinitionFault[] {
  const seen = new Set(catalogue.check(account, id)?.dependsOn)
  const index = dependsOn.findIndex((first) => {
    const stack = [first]
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      if (next === id) return true
      if (seen.has(next)) continue
      seen.add(next)
      stack.push(...(catalogue.check(account, next)?.dependsOn ?? []))
    }
    return false
  })
  return index < 0
    ? []
    : [fault(`/dependsOn/${index}`, `${dependsOn[index]} depends on this check, and checks must not depend on each other in a circle`)]
}

/** Where other checks, or policies of the config file, name a check by its id. */
export function usersOf({ account, id }: { readonly account: string; readonly id: string }, catalogue: Catalogue): readonly string[] {
  const { maintenance, slos, alerts } = catalogue.policies(account)
  const names = (kind: string, list: readonly { readonly checks: readonly string[]; readonly name: string }[]) =>
    list.filter(({ checks }) => checks.includes(id)).map(({ name }) => `${kind} ${name}`)
  return [
    ...catalogue.dependents(account, id).map((dependent) => `check ${dependent}`),
    ...names('maintenance', maintenance),
    ...names('SLO', slos),
    ...names(
      'alert rule',
      alerts.map(({ checks, id: name }) => ({ checks, name })),
    ),
  ]
}
