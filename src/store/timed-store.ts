import type { QuestionKind, StoreStats } from '../stats/server-stats.ts'
import type { Store } from './store.ts'

/** The same store, which observes how long it takes to store results and to answer questions. */
export function timedStore<S extends Store>(store: S, stats: StoreStats): S {
  const timed =
    <Args extends readonly unknown[], Answer>(kind: QuestionKind, ask: (...args: Args) => Promise<Answer>) =>
    (...args: Args) =>
      stats.questions[kind].time(() => ask(...args))
  return {
    ...store,
    async append(results) {
      const appended = await stats.append.time(() => store.append(results))
      stats.appended.add(results.length - appended.duplicates.length)
      stats.duplicates.add(appended.duplicates.length)
      return appended
    },
    aggregate: timed('aggregate', store.aggregate),
    states: timed('states', store.states),
    outages: timed('outages', store.outages),
    outageTotals: timed('outages', store.outageTotals),
    raw: timed('raw', store.raw),
    results: timed('results', store.results),
    result: timed('result', store.result),
    failures: timed('failures', store.failures),
  }
}
