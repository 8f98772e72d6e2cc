/** Asks of each item, some at a time, so that one caller does not fill the queue; the answers in order. */
export async function inTurn<T, R>(items: readonly T[], ask: (item: T) => Promise<R>, atATime = 4): Promise<readonly R[]> {
  const answers = new Array<R>(items.length)
  const pending = items.entries()
  const work = async () => {
    for (const [index, item] of pending) answers[index] = await ask(item)
  }
  await Promise.all(Array.from({ length: atATime }, work))
  return answers
}
