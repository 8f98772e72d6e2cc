import { hash } from 'node:crypto'

/**
 * Rendezvous hashing: which of some instances a key belongs to. When an instance comes or goes, only keys of that instance move.
 * Undefined where there are no instances.
 */
export function ownerOf(key: string, instances: readonly string[]): string | undefined {
  let owner: string | undefined
  let highest = ''
  for (const instance of instances) {
    const score = hash('sha256', JSON.stringify([instance, key]))
    if (score <= highest) continue
    highest = score
    owner = instance
  }
  return owner
}
