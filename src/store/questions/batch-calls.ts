/** Calls of one question that run at a time: others must find a free worker too. */
const concurrency = 4

/** Calls `call` for each item, a few at a time; the answers in the order of the items. The first failure ends it. */
export async function batchCalls<T, R>(items: readonly T[], call: (item: T) => Promise<R>): Promise<readonly R[]> {
  const answers = new Array<R>(items.length)
  const pending = items.entries()
  let failed = false
  const work = async () => {
    for (const [i, item] of pending) {
      if (failed) return
      answers[i] = await call(item)
    }
  }
  const workers = Array.from({ length: Math.min(concurrency, items.length) }, work)
  await Promise.all(workers).catch((error) => {
    failed = true
    throw error
  })
  return answers
}
