type SlotLimits = { readonly perKey: number; readonly inAll: number }
type Refusal = (limit: number, exceeded: keyof SlotLimits) => Error

/** Concurrency limit per key and overall. Returns a release function; throws when a limit is reached. */
export function createKeyedSlots(refusal: Refusal): (key: string, limits: SlotLimits) => () => void {
  const taken = new Map<string, number>()
  let takenInAll = 0
  return (key, { perKey, inAll }) => {
    const ofKey = taken.get(key) ?? 0
    if (ofKey >= perKey) throw refusal(perKey, 'perKey')
    if (takenInAll >= inAll) throw refusal(inAll, 'inAll')
    taken.set(key, ofKey + 1)
    takenInAll += 1
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      takenInAll -= 1
      const left = (taken.get(key) ?? 1) - 1
      if (left === 0) taken.delete(key)
      else taken.set(key, left)
    }
  }
}
