/** Counts of observations by bucket, one more than there are bounds, and their sum; in seconds. */
type HistogramReading = { readonly bounds: readonly number[]; readonly buckets: readonly number[]; readonly sum: number }

export type Histogram = {
  observe(seconds: number): void
  /** Observes the duration of the work, even if it fails. */
  time<T>(work: () => Promise<T>): Promise<T>
  read(): HistogramReading
}
export type Counter = { add(count: number): void; read(): number }
export type Gauge = { set(value: number): void; read(): number }

const boundsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export function createHistogram(bounds: readonly number[] = boundsSeconds): Histogram {
  const buckets = new Array<number>(bounds.length + 1).fill(0)
  let sum = 0
  const observe = (seconds: number) => {
    const found = bounds.findIndex((bound) => seconds <= bound)
    const bucket = found < 0 ? bounds.length : found
    buckets[bucket] = (buckets[bucket] as number) + 1
    sum += seconds
  }
  return {
    observe,
    async time(work) {
      const begun = performance.now()
      try {
        return await work()
      } finally {
        observe((performance.now() - begun) / 1000)
      }
    },
    read: () => ({ bounds, buckets: [...buckets], sum }),
  }
}

export function createCounter(): Counter {
  let total = 0
  return {
    add(count) {
      total += count
    },
    read: () => total,
  }
}

export function createGauge(): Gauge {
  let current = 0
  return {
    set(value) {
      current = value
    },
    read: () => current,
  }
}

const intervalMs = 100

/** Observes how late the event loop runs timers; returns a function that stops it. */
export function watchEventLoop(delay: Histogram): () => void {
  let due = performance.now() + intervalMs
  const timer = setInterval(() => {
    const now = performance.now()
    delay.observe(Math.max(0, now - due) / 1000)
    due = now + intervalMs
  }, intervalMs).unref()
  return () => clearInterval(timer)
}
