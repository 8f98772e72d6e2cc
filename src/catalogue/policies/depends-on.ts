import type { Finding, Path } from '../config-file/faults.ts'
import { type Lookup, valueFinding } from './fields.ts'

/** A check with its dependencies, which may not exist. */
type Dependent = { readonly id: string; readonly dependsOn: readonly string[]; readonly path: Path }

/** Unknown checks, and cycles, in which no check would ever alert. */
export function dependencyFindings(checks: readonly Dependent[], checkId: Lookup): readonly Finding[] {
  const unknown = checks.flatMap(({ dependsOn, path }) => dependsOn.flatMap((id, index) => checkId(id, [...path, index])))
  return [...unknown, ...cycleFindings(checks)]
}

const maxCycles = 20
const maxNames = 10

function cycleFindings(checks: readonly Dependent[]): readonly Finding[] {
  return cycles(checks).map(({ from, index, ids }) => {
    const more = ids.length - maxNames
    const names = [...ids.slice(0, maxNames), ...(more > 0 ? [`${more} more`] : []), ids[0]].join(' → ')
    return valueFinding([...from.path, index], `checks depend on each other in a cycle: ${names}`)
  })
}

type Cycle = { readonly from: Dependent; readonly index: number; readonly ids: readonly string[] }
type Visit = { readonly check: Dependent; next: number }

/**
 * Depth-first search without recursion, because a chain may be as long as the file. A dependency on a check that is being visited closes a
 * cycle.
 */
function cycles(checks: readonly Dependent[]): readonly Cycle[] {
  const byId = new Map(checks.map((check) => [check.id, check]))
  const done = new Set<string>()
  const found: Cycle[] = []
  for (const root of checks) {
    const depths = new Map<string, number>()
    const stack: Visit[] = []
    const enter = (check: Dependent) => {
      depths.set(check.id, stack.length)
      stack.push({ check, next: 0 })
    }
    if (!done.has(root.id)) enter(root)
    for (let visit = stack.at(-1); visit && found.length < maxCycles; visit = stack.at(-1)) {
      const { check } = visit
      const index = visit.next++
      const target = byId.get(check.dependsOn[index] ?? '')
      if (index >= check.dependsOn.length) {
        done.add(check.id)
        depths.delete(check.id)
        stack.pop()
      } else if (target) {
        const depth = depths.get(target.id)
        if (depth !== undefined) found.push({ from: check, index, ids: stack.slice(depth).map((one) => one.check.id) })
        else if (!done.has(target.id)) enter(target)
      }
    }
  }
  return found
}
