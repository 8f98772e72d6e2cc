import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import type { Catalogue, Check } from '../../src/catalogue/catalogue.ts'
import { buildApp } from '../../src/http/app.ts'
import { createEmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import { derivedId } from '../../src/store/identity.ts'
import { type Result, type Store, StoreUnavailable } from '../../src/store/store.ts'

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
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-badges-'))
  const time = { now: start }
  const clock = { now: () => time.now }
  const store = await createEmbeddedStore({ directory, workers: 0, clock: clock.now })
  const asked: string[] = []
  const outage = { isOn: false }
  const app = await buildApp({ catalogue, store: watched(store, asked, outage), clock, log: pino({ level: 'silent' }) })
  return {
    app,
    time,
    asked,
    outage,
    file: async (check, agoMs, result) => {
      const filed = { check: { account: check.account, checkId: check.id }, result: resultOf(check, time.now - agoMs, result) }
      await store.append([filed])
    },
    close: async () => {
      await app.close()
      await store.close()
      await rm(directory, { recursive: true })
    },
  }
}

const questions: readonly string[] = ['latest', 'aggregate', 'raw', 'results', 'scan'] satisfies (keyof Store)[]

function watched(store: Store, asked: string[], outage: { readonly isOn: boolean }): Store {
  return new Proxy(store, {
    get: (target, name: keyof Store) => {
      if (!questions.includes(name)) return target[name]
      asked.push(name)
      if (!outage.isOn) return target[name]
      const away = new StoreUnavailable('The store is away.', 5)
      return name === 'latest' ? () => raise(away) : () => Promise.reject(away)
    },
  })
}

function raise(error: Error): never {
  throw error
}

function resultOf({ account, id, checkType, locations }: Check, startedAt: number, more: Partial<Result> = {}): Result {
  const runLocation = more.runLocation ?? locations[0] ?? 'default'
  const values = checkType.duration === null ? {} : { [checkType.duration]: 231.4 }
  return {
    id: derivedId({ account, checkId: id }, runLocation, startedAt),
    startedAt,
    runLocation,
    hasFailures: false,
    hasErrors: false,
    isDegraded: false,
    overMaxResponseTime: false,
    attempts: 1,
    state: null,
    error: null,
    values,
    pages: [],
    ...more,
  }
}
