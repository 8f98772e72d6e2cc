type Waiting<Item, Answer> = {
  readonly item: Item
  readonly signal: AbortSignal | undefined
  readonly resolve: (answer: Answer) => void
  readonly reject: (problem: unknown) => void
}

type TogetherOptions<Item, Answer> = {
  /** Items with the same name are asked together. */
  readonly nameOf: (item: Item) => string
  /** Answers in the order of the items. */
  readonly ask: (items: readonly Item[], signal?: AbortSignal) => Promise<readonly Answer[]>
  readonly most: number
}

/** Batches calls: those of one event loop turn with the same signal and name are asked together. */
export function together<Item, Answer>({ nameOf, ask, most }: TogetherOptions<Item, Answer>) {
  let waiting: Waiting<Item, Answer>[] = []

  function askAll(): void {
    const pending = waiting
    waiting = []
    const alike = new Map<AbortSignal | undefined, Map<string, Waiting<Item, Answer>[]>>()
    for (const each of pending) {
      const ofCaller = alike.get(each.signal) ?? new Map<string, Waiting<Item, Answer>[]>()
      alike.set(each.signal, ofCaller)
      const same = ofCaller.get(nameOf(each.item))
      if (same) same.push(each)
      else ofCaller.set(nameOf(each.item), [each])
    }
    for (const ofCaller of alike.values())
      for (const same of ofCaller.values()) for (let from = 0; from < same.length; from += most) void askSome(same.slice(from, from + most))
  }
  async function askSome(same: readonly Waiting<Item, Answer>[]): Promise<void> {
    try {
      const answers = await ask(
        same.map(({ item }) => item),
        same[0]?.signal,
      )
      for (const [i, { resolve }] of same.entries()) resolve(answers[i] as Answer)
    } catch (problem) {
      for (const { reject } of same) reject(problem)
    }
  }
  return (item: Item, signal?: AbortSignal): Promise<Answer> =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(askAll)
      waiting.push({ item, signal, resolve, reject })
    })
}
