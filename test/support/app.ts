import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { pino } from 'pino'
import type { Catalogue } from '../../src/catalogue/catalogue.ts'
import type { CheckType } from '../../src/checks/define.ts'
import { buildApp } from '../../src/http/app.ts'
import { createEmbeddedStore, type EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import type { FiledResult, Store } from '../../src/store/store.ts'
import { credentials, testCatalogue } from './catalogue.ts'

export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | number | readonly string[] | undefined>>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what a test is about
  readonly body: any
}

export type TestApp = {
  readonly app: FastifyInstance
  readonly store: EmbeddedStore
  /** Asks as the reader of account `acme`, unless given other headers. */
  readonly get: (url: string, headers?: Readonly<Record<string, string>>) => Promise<Answer>
  readonly call: (options: InjectOptions) => Promise<Answer>
  readonly close: () => Promise<void>
}

type Setting = {
  readonly catalogue?: Catalogue
  readonly results?: readonly FiledResult[]
  readonly now?: number
  readonly checkTypes?: readonly CheckType[]
  /** Stands in for parts of the store, such as one that is overrun. */
  readonly instead?: Partial<Store>
}

/** The whole API on a real store in a folder of its own, at a fixed instant. */
export async function openTestApp({ catalogue = testCatalogue(), results = [], now = 0, checkTypes, instead }: Setting): Promise<TestApp> {
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-test-'))
  const clock = { now: () => now }
  const store = await createEmbeddedStore({ directory, workers: 0, clock: clock.now })
  await store.append(results)
  const log = pino({ level: 'silent' })
  const app = await buildApp({ catalogue, store: { ...store, ...instead }, clock, log, ...(checkTypes && { checkTypes }) })
  const call = async (options: InjectOptions) => {
    const { statusCode, headers, body } = await app.inject(options)
    const isJson = String(headers['content-type']).startsWith('application/json') && body !== ''
    return { status: statusCode, headers, text: body, body: isJson ? JSON.parse(body) : undefined }
  }
  return {
    app,
    store,
    call,
    get: (url, headers = credentials) => call({ url, headers }),
    close: async () => {
      await app.close()
      await store.close()
      await rm(directory, { recursive: true })
    },
  }
}
