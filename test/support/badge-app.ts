import type { FastifyInstance } from 'fastify'
import type { Catalogue, Check } from '../../src/catalogue/catalogue.ts'
import { type Result, type Store, StoreUnavailable } from '../../src/store/store.ts'
import { openTestApp } from './app.ts'
import { testResult } from './results.ts'

export type BadgeApp = {
  readonly app: FastifyInstance
  readonly time: { now: number }
  /** Files a result of a check that started so long before now. */
  readonly file: (check: Check, agoMs: number, result?: Partial<Result>) => Promise<void>
  /** Every question that the store was asked. */
  readonly asked: string[]
  /** While true, the store answers nothing. */
  readonly outage: { isOn: boolean }
  readonly close: () => Promise<void>
}

/** The whole API on a real store that can be watched and cut off, at an instant that the test moves. */
export async function openBadgeApp(catalogue: Catalogue, start: number): Promise<BadgeApp> {
  const time = { now: start }
  const asked: string[] = []
  const outage = { isOn: false }
  const instead = (store: Store) => watched(store, asked, outage)
  const { app, store, close } = await openTestApp({ catalogue, now: () => time.now, instead })
  const file: BadgeApp['file'] = async (check, agoMs, more) => {
    const { duration } = check.checkType
    const values = duration === null ? {} : { [duration]: 231.4 }
    await store.append([testResult(check, time.now - agoMs, { values, pages: [], ...more })])
  }
  return { app, time, asked, outage, file, close }
}

const questions: readonly string[] = ['latest', 'aggregate', 'raw', 'results', 'scan'] satisfies (keyof Store)[]

function watched(store: Store, asked: string[], outage: { readonly isOn: boolean }): Store {
  return new Proxy(store, {
    get: (target, name: keyof Store) => {
      if (!questions.includes(name)) return target[name]
      asked.push(name)
      if (!outage.isOn) return target[name]
      const away = new StoreUnavailable('The store is away.', 5)
      return () => Promise.reject(away)
    },
  })
}
