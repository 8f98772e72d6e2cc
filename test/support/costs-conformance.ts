import { describe, expect, test } from 'vitest'
import type { CheckRef, FiledResult, Store } from '../../src/store/store.ts'
import { dayMs } from '../../src/time.ts'
import { calm } from './results.ts'

export const costedCheck: CheckRef = { account: 'acme', checkId: 'homepage' }
export const days = 10
export const perDay = 20
const start = Date.UTC(2026, 10, 1)
export const everything = { from: 0, to: start + days * dayMs }
const oneDay = { from: start, to: start + dayMs - 1 }

export const costedResults: readonly FiledResult[] = Array.from({ length: days * perDay }, (_, i) => ({
  check: costedCheck,
  result: { ...calm, id: null, startedAt: start + Math.floor(i / perDay) * dayMs + i, runLocation: 'eu', values: { dns: i }, pages: [] },
}))

export const whole = { filter: null, rowPage: { offset: 0, limit: 10 }, groupPage: null }
const rhythm = { periodMs: 60_000, locations: 1, parallel: true }
const now = everything.to

type Window = typeof everything
const questions: Readonly<Record<string, (store: Store, window: Window) => Promise<unknown>>> = {
  aggregate: (store, window) =>
    store.aggregate({
      ...whole,
      window,
      sources: [{ check: costedCheck, columns: [{ metric: 'dns', perPage: false }], labels: [] }],
      groupBy: [],
      figures: [{ column: 0, aggregation: 'p95', bound: null }],
      counts: true,
      buckets: null,
      fill: null,
      histogram: null,
    }),
  states: (store, window) =>
    store.states({
      sources: [{ check: costedCheck, rhythm, maintenance: [] }],
      window,
      now,
      quorum: 1,
      byLocation: false,
      serviceHours: null,
      minOutageMs: 0,
      rows: [window],
      intervals: false,
    }),
  outages: (store, window) =>
    store.outages({ sources: [{ check: costedCheck, rhythm }], window, now, quorum: 1, minMs: 0, after: null, limit: 10 }),
  'runs by location': (store, window) => store.raw({ ...whole, window, check: costedCheck, groupBy: { by: 'location' }, metrics: [] }),
  'filtered results': (store, window) =>
    store.results({ check: costedCheck, window, location: 'nowhere', hasFailures: null, before: null, rowPage: { offset: 0, limit: 1 } }),
  'a result': (store, window) => store.result({ check: costedCheck, id: 'any', startedAt: window === oneDay ? start : null }),
  failures: (store, window) => store.failures({ sources: [costedCheck], window, locations: null }),
}

type OpenWithLimit = (maxQuestionCost: number) => Promise<{ readonly store: Store; readonly dispose: () => Promise<void> }>

/** Queries that cost too much are rejected, whatever their kind. `countsDays`: only the days of the window add to the cost. */
export function describeCosts(name: string, open: OpenWithLimit, { countsDays }: { readonly countsDays: boolean }): void {
  describe(`${name}: a query that costs too much`, () => {
    test.each(Object.entries(questions))('is rejected with a specific message before anything is read: %s', async (_, ask) => {
      const { store, dispose } = await open(150)
      await store.append(costedResults)
      const refusal = { name: 'QueryTooLarge', message: expect.stringMatching(/^it reads about [\d.,]+ million values, and the limit is/) }
      await expect(ask(store, everything)).rejects.toMatchObject(refusal)
      if (countsDays) await expect(ask(store, oneDay)).resolves.toBeDefined()
      await dispose()
    })
  })
}
