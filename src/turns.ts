import { setImmediate } from 'node:timers/promises'

/** Rows of a few values; so many are handled within some milliseconds. */
const rowsPerTurn = 1000

/** Ends the turn of the event loop after every so many rows, so that other requests are served during long work. */
export function createTurns(): (rows: number) => Promise<void> | undefined {
  let left = rowsPerTurn
  return (rows) => {
    left -= rows
    if (left > 0) return undefined
    left = rowsPerTurn
    return setImmediate()
  }
}
