/** Ids that differ: where one is taken, a number is added. */
export type NewIds = {
  /** The id that `take` would give. */
  peek(wanted: string): string
  take(wanted: string): string
}

export function newIds(separator: string): NewIds {
  const taken = new Set<string>()
  /** Where to go on counting, so that a thousand equal names take no million tries. */
  const next = new Map<string, number>()
  const peek = (wanted: string): string => {
    if (!taken.has(wanted)) return wanted
    let number = next.get(wanted) ?? 2
    while (taken.has(`${wanted}${separator}${number}`)) number++
    next.set(wanted, number)
    return `${wanted}${separator}${number}`
  }
  return {
    peek,
    take(wanted) {
      const id = peek(wanted)
      taken.add(id)
      return id
    },
  }
}
