import { type Counter, createCounter, createGauge, createHistogram, type Gauge, type Histogram } from './instruments.ts'

export const questionKinds = ['aggregate', 'states', 'outages', 'raw', 'results', 'result', 'failures'] as const
export type QuestionKind = (typeof questionKinds)[number]

export type StoreStats = {
  /** From the arrival of results until they are durable. */
  readonly append: Histogram
  readonly commit: Histogram
  readonly appended: Counter
  readonly duplicates: Counter
  /** Results waiting for a commit. */
  readonly appendQueue: Gauge
  readonly questions: Readonly<Record<QuestionKind, Histogram>>
  /** Parts of questions waiting for a thread. */
  readonly questionQueue: Gauge
  /** Threads that were replaced because they died, or were ended after a call that took too long. */
  readonly lostThreads: Readonly<Record<'reader' | 'writer', Counter>>
}

export type RunnerStats = {
  /** From the time of a slot until its runs are started. */
  readonly delay: Histogram
  /** Slots skipped because they were too late. */
  readonly missedLate: Counter
  /** Runs skipped because the previous one was still in progress. */
  readonly missedOverlap: Counter
  /** Runs that this machine could not perform, for lack of open files, ports, processes or memory. */
  readonly notMade: Counter
  readonly inProgress: Gauge
  /** Results waiting for the store. */
  readonly outbox: Gauge
}

/** Metrics of the server itself, since its start. */
export type ServerStats = {
  readonly store: StoreStats
  readonly runner: RunnerStats
  readonly eventLoopDelay: Histogram
  /** As in `StoreStats`. */
  readonly lostThreads: Readonly<Record<'probe' | 'judge' | 'parser' | 'decoder' | 'uploads' | 'alerts' | 'replay', Counter>>
}

export function createServerStats(): ServerStats {
  return {
    store: createStoreStats(),
    runner: createRunnerStats(),
    eventLoopDelay: createHistogram(),
    lostThreads: {
      probe: createCounter(),
      judge: createCounter(),
      parser: createCounter(),
      decoder: createCounter(),
      uploads: createCounter(),
      alerts: createCounter(),
      replay: createCounter(),
    },
  }
}

export function createStoreStats(): StoreStats {
  return {
    append: createHistogram(),
    commit: createHistogram(),
    appended: createCounter(),
    duplicates: createCounter(),
    appendQueue: createGauge(),
    questions: {
      aggregate: createHistogram(),
      states: createHistogram(),
      outages: createHistogram(),
      raw: createHistogram(),
      results: createHistogram(),
      result: createHistogram(),
      failures: createHistogram(),
    },
    questionQueue: createGauge(),
    lostThreads: { reader: createCounter(), writer: createCounter() },
  }
}

export function createRunnerStats(): RunnerStats {
  return {
    delay: createHistogram(),
    missedLate: createCounter(),
    missedOverlap: createCounter(),
    notMade: createCounter(),
    inProgress: createGauge(),
    outbox: createGauge(),
  }
}
