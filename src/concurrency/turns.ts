import { setImmediate as nextTurn } from 'node:timers/promises'

/** Rows of a few values that are handled within some milliseconds. */
const rowsPerTurn = 1000
const valuesPerRow = 10

/** Counts rows, and ends the turn of the event loop after every `rowsPerTurn` of them, so that other requests are served during long work. */
type Turns = (rows: number) => Promise<void> | undefined

export function createTurns(): Turns {
  let left = rowsPerTurn
  return (rows) => {
    left -= rows
    if (left > 0) return undefined
    left = rowsPerTurn
    return nextTurn()
  }
}

/** Maps rows of `values` values each. */
export async function mapInTurns<Item, Mapped>(
  items: readonly Item[],
  { turns, values }: { readonly turns: Turns; readonly values: number },
  map: (item: Item, index: number) => Mapped,
): Promise<Mapped[]> {
  const mapped: Mapped[] = []
  for (const [index, item] of items.entries()) {
    mapped.push(map(item, index))
    const pause = turns(1 + values / valuesPerRow)
    if (pause) await pause
  }
  return mapped
}

const maxTurnMs = 10

/** Yields by time: for items of which some take much longer than others. */
export function createTimedTurns(): () => Promise<void> | undefined {
  let begun = performance.now()
  return () => {
    if (performance.now() - begun < maxTurnMs) return undefined
    return nextTurn().then(() => {
      begun = performance.now()
    })
  }
}

/** Calls `act` for every item, a few per turn of the event loop: a large batch does not hold up other requests. */
export function inTurns<T>(items: readonly T[], perTurn: number, act: (item: T) => void): void {
  for (const item of items.slice(0, perTurn)) act(item)
  if (items.length > perTurn) setImmediate(inTurns<T>, items.slice(perTurn), perTurn, act)
}
