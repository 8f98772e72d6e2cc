/** Calls `act` for every item, a few per turn of the event loop: a large batch does not hold up other requests. */
export function inTurns<T>(items: readonly T[], perTurn: number, act: (item: T) => void): void {
  for (const item of items.slice(0, perTurn)) act(item)
  if (items.length > perTurn) setImmediate(inTurns<T>, items.slice(perTurn), perTurn, act)
}
