/** Thrown when a computation needs data that is not loaded yet. */
class NotLoaded {
  readonly key: string
  readonly load: () => Promise<unknown>
  constructor(key: string, load: () => Promise<unknown>) {
    this.key = key
    this.load = load
  }
}

/** Returns the loaded value of a key, or throws `NotLoaded`. */
export type Loaded = <T>(key: string, load: () => Promise<T>) => T

/**
 * Runs a synchronous computation over data that must be fetched: when it needs something that is not loaded, that is fetched and the
 * computation starts again. It must be free of side effects.
 */
export async function replay<T>(compute: (loaded: Loaded) => T): Promise<T> {
  const values = new Map<string, unknown>()
  const loaded = <Value>(key: string, load: () => Promise<Value>): Value => {
    if (!values.has(key)) throw new NotLoaded(key, load)
    return values.get(key) as Value
  }
  for (;;) {
    try {
      return compute(loaded)
    } catch (problem) {
      if (!(problem instanceof NotLoaded)) throw problem
      values.set(problem.key, await problem.load())
    }
  }
}
