/** Allocates unique ids: appends a number if an id is taken. */
export type NewIds = {
  /** The id that `take` would return. */
  peek(wanted: string): string
  take(wanted: string): string
}

export function newIds(separator: string): NewIds {
  const taken = new Set<string>()
  /** The next number to try per name, so that a thousand equal names do not need a million tries. */
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
