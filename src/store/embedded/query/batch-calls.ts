/** The way to a thread costs as much as a short question does: those of one caller go there together. */
const bunchSize = 10
const bunchesAtATime = 4

/** Asks of all items, a bunch by a bunch, and only of some at a time, so that one caller does not fill the queue; the answers in order. */
export async function inBunches<T, R>(items: readonly T[], ask: (bunch: readonly T[]) => Promise<readonly R[]>): Promise<readonly R[]> {
  const bunches = Array.from({ length: Math.ceil(items.length / bunchSize) }, (_, i) => items.slice(i * bunchSize, (i + 1) * bunchSize))
  const answers = new Array<readonly R[]>(bunches.length)
  const pending = bunches.entries()
  const work = async () => {
    for (const [i, bunch] of pending) answers[i] = await ask(bunch)
  }
  await Promise.all(Array.from({ length: bunchesAtATime }, work))
  return answers.flat()
}
