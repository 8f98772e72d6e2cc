/** So many calls of one question are under way at a time: others must find a free worker too. */
const concurrency = 4

/** Calls `call` for each item, a few at a time; the answers in the order of the items. */
export async function batchCalls<T, R>(items: readonly T[], call: (item: T) => Promise<R>): Promise<readonly R[]> {
  const answers = new Array<R>(items.length)
  const pending = items.entries()
  const work = async () => {
    for (const [i, item] of pending) answers[i] = await call(item)
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, work))
  return answers
}
