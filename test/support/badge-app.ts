import type { FastifyInstance } from 'fastify'
import type { Catalogue, Check } from '../../src/catalogue/catalogue.ts'
import { type Result, type Store, StoreUnavailable } from '../../src/store/store.ts'
import { openTestApp } from './app.ts'
import { testResult } from './results.ts'

export type BadgeApp = {
  readonly app: FastifyInstance
  readonly time: { now: number }
  /** Stores a result of a check that started `agoMs` ago. */
  readonly file: (check: Check, agoMs: number, result?: Partial<Result>) => Promise<void>
  /** Names of all queries to the store. */
  readonly queries: string[]
  /** While true, the store fails. */
  readonly outage: { isOn: boolean }
  readonly close: () => Promise<void>
}

/** The whole API on a real store with recorded queries and simulated outages, at an instant set by the test. */
export async function openBadgeApp(catalogue: Catalogue, start: number): Promise<BadgeApp> {
  const time = { now: start }
  const queries: string[] = []
  const outage = { isOn: false }
  const instead = (store: Store) => watched(store, queries, outage)
  const { app, store, close } = await openTestApp({ catalogue, now: () => time.now, instead })
  const file: BadgeApp['file'] = async (check, agoMs, more) => {
    const { duration } = check.checkType
    const values = duration === null ? {} : { [duration]: 231.4 }
    await store.append([testResult(check, time.now - agoMs, { values, pages: [], ...more })])
  }
  return { app, time, queries, outage, file, close }
}

const queryNames: readonly string[] = ['latest', 'aggregate', 'raw', 'results', 'scan'] satisfies (keyof Store)[]

function watched(store: Store, queries: string[], outage: { readonly isOn: boolean }): Store {
  return new Proxy(store, {
    get: (target, name: keyof Store) => {
      if (!queryNames.includes(name)) return target[name]
      queries.push(name)
      if (!outage.isOn) return target[name]
      const outageError = new StoreUnavailable('The store is away.', 5)
      return () => Promise.reject(outageError)
    },
  })
}
