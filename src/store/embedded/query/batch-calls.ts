/** Passing a call to a thread costs as much as a short question: those of one caller are passed in batches. */
const batchSize = 10
const concurrency = 4

/** Calls `ask` for batches of items, few at a time, so that one caller does not fill the queue; the answers are in order. */
export async function batchCalls<T, R>(items: readonly T[], ask: (batch: readonly T[]) => Promise<readonly R[]>): Promise<readonly R[]> {
  const batches = Array.from({ length: Math.ceil(items.length / batchSize) }, (_, i) => items.slice(i * batchSize, (i + 1) * batchSize))
  const answers = new Array<readonly R[]>(batches.length)
  const pending = batches.entries()
  const work = async () => {
    for (const [i, batch] of pending) answers[i] = await ask(batch)
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return answers.flat()
}
