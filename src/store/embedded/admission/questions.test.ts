import { expect, onTestFinished, test } from 'vitest'
import { calm } from '../../../../test/support/results.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { dayMs } from '../../../time.ts'
import type { CheckRef, FiledResult, Store } from '../../store.ts'
import { createEmbeddedStore } from '../embedded-store.ts'
import { openReader } from '../query/reader.ts'

const check: CheckRef = { account: 'acme', checkId: 'homepage' }
const days = 10
const perDay = 20
const start = Date.UTC(2026, 10, 1)
const everything = { from: 0, to: start + days * dayMs }
const oneDay = { from: start, to: start + dayMs - 1 }

const results: readonly FiledResult[] = Array.from({ length: days * perDay }, (_, i) => ({
  check,
  result: { ...calm, id: null, startedAt: start + Math.floor(i / perDay) * dayMs + i, runLocation: 'eu', values: { dns: i }, pages: [] },
}))

const whole = { filter: null, rowPage: { offset: 0, limit: 10 }, groupPage: null }
const rhythm = { periodMs: 60_000, locations: 1, parallel: true }
const now = everything.to

type Window = typeof everything
const questions: Readonly<Record<string, (store: Store, window: Window) => Promise<unknown>>> = {
  aggregate: (store, window) =>
    store.aggregate({
      ...whole,
      window,
      sources: [{ check, columns: [{ metric: 'dns', perPage: false }], labels: [] }],
      groupBy: [],
      figures: [{ column: 0, aggregation: 'avg', bound: null }],
      counts: true,
      buckets: null,
      fill: null,
      histogram: null,
    }),
  states: (store, window) =>
    store.states({
      sources: [{ check, rhythm, maintenance: [] }],
      window,
      now,
      quorum: 1,
      byLocation: false,
      serviceHours: null,
      minOutageMs: 0,
      rows: [window],
      intervals: false,
    }),
  outages: (store, window) => store.outages({ sources: [{ check, rhythm }], window, now, quorum: 1, minMs: 0, after: null, limit: 10 }),
  'runs by location': (store, window) => store.raw({ ...whole, window, check, groupBy: { by: 'location' }, metrics: [] }),
  'filtered results': (store, window) =>
    store.results({ check, window, location: 'nowhere', hasFailures: null, before: null, rowPage: { offset: 0, limit: 1 } }),
  'a result': (store, window) => store.result({ check, id: 'any', startedAt: window === oneDay ? start : null }),
  failures: (store, window) => store.failures({ sources: [check], window, locations: null }),
}

async function openStore(maxQuestionCost: number) {
  const directory = temporaryFolder()
  const store = await createEmbeddedStore({ directory, workers: 0, maxQuestionCost })
  onTestFinished(() => store.close())
  await store.append(results)
  return { store, directory }
}

for (const [name, ask] of Object.entries(questions)) {
  test.each(['hot', 'sealed'])(`${name} (%s): beyond the limit of cost it is refused in words before it is read`, async (state) => {
    const { store } = await openStore(150)
    if (state === 'sealed') await store.seal()
    const refusal = { name: 'QueryTooLarge', message: expect.stringMatching(/^it reads about [\d.,]+ million values, and at most/) }
    await expect(ask(store, everything)).rejects.toMatchObject(refusal)
    if (state === 'sealed') await expect(ask(store, oneDay)).resolves.toBeDefined()
  })
}

test('a page of runs is not answered in the main thread where many results are hot', async () => {
  const { store } = await openStore(100)
  const page = () => store.raw({ ...whole, window: everything, check, groupBy: null, metrics: [] })
  expect((await page())[0]?.rows).toHaveLength(10)
  const many = Array.from({ length: 2000 }, (_, i) => ({
    check,
    result: { ...calm, id: `r${i}`, startedAt: start, runLocation: 'eu', values: {}, pages: [] },
  }))
  await store.append(many)
  await expect(page()).rejects.toMatchObject({ name: 'QueryTooLarge' })
  await store.seal()
  expect((await page())[0]?.rows).toHaveLength(10)
})

test('a question that nobody waits for ends between two days', async () => {
  const { store, directory } = await openStore(Number.POSITIVE_INFINITY)
  await store.seal()
  let checkpoints = 0
  const reader = openReader(directory, 0, () => {
    checkpoints++
    if (checkpoints > days / 2) throw new Error('cancelled')
  })
  onTestFinished(() => reader.close())
  expect(() => reader.scan({ check, window: everything, after: null, limit: days * perDay })).toThrow('cancelled')
  expect(checkpoints).toBe(days / 2 + 1)
})
