import type { DefinitionFault } from '../../checks/wire-reader.ts'

/** What is nested deeper would exhaust the stack of what reads it. */
const maxDepth = 64

/** What is wrong with how deep a body is nested. */
export function depthFaults(body: unknown): readonly DefinitionFault[] {
  return isDeeperThan(maxDepth, body) ? [{ pointer: '', message: `the body must be nested at most ${maxDepth} levels deep` }] : []
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((part) => isDeeperThan(levels - 1, part))
}
