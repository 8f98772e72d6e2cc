import type { DefinitionFault } from '../../checks/wire-reader.ts'

/** Deeper values could overflow the stack of recursive functions. */
const maxDepth = 64

export function depthFaults(body: unknown): readonly DefinitionFault[] {
  return isDeeperThan(maxDepth, body) ? [{ pointer: '', message: `the body must be nested at most ${maxDepth} levels deep` }] : []
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((part) => isDeeperThan(levels - 1, part))
}
