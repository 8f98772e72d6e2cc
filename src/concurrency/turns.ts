import { setImmediate as nextTurn } from 'node:timers/promises'

/** This many rows of a few values take a few milliseconds. */
const rowsPerTurn = 1000
const valuesPerRow = 10

/** Counts rows, and yields to the event loop after every `rowsPerTurn` of them, so that other requests are served during long work. */
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

/** Maps rows of `values` values each, and yields to the event loop in between. */
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

/** Yields by time: for items of very different cost. */
export function createTimedTurns(): () => Promise<void> | undefined {
  let begun = performance.now()
  return () => {
    if (performance.now() - begun < maxTurnMs) return undefined
    return nextTurn().then(() => {
      begun = performance.now()
    })
  }
}

/** Calls `act` for every item, a few per turn of the event loop, so that a large batch does not block other requests. */
export function inTurns<T>(items: readonly T[], perTurn: number, act: (item: T) => void): void {
  for (const item of items.slice(0, perTurn)) act(item)
  if (items.length > perTurn) setImmediate(inTurns<T>, items.slice(perTurn), perTurn, act)
}
