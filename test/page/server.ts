import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { Check } from '../../src/catalogue/catalogue.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import { buildApp } from '../../src/http/app.ts'
import { oneTimeCode } from '../../src/http/one-time-code.ts'
import { createEmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import { account, readKey, testCatalogue, testCheck } from '../support/catalogue.ts'
import { inventResults } from './invented-results.ts'

export type PageServer = { readonly origin: string; readonly checks: readonly Check[]; readonly code: string; close(): Promise<void> }

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

type World = { readonly checks?: readonly Check[]; readonly days?: number; readonly port?: number }

/** A real server on a free port with a check of every type and some days of results up to now. */
export async function startPageServer({ checks = oneOfEach(), days = 3, port = 0 }: World = {}): Promise<PageServer> {
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-page-'))
  const store = await createEmbeddedStore({ directory, workers: 1 })
  const now = Date.now()
  const from = Math.floor((now - days * dayMs) / (5 * minuteMs)) * 5 * minuteMs
  for (const check of checks) await store.append(inventResults(check, { from, to: now, everyMs: 5 * minuteMs }))
  const { code, signIn } = oneTimeCode({ key: readKey, account }, new Uint8Array(16).fill(7))
  const app = await buildApp({ catalogue: testCatalogue({ checks }), store, clock: { now: Date.now }, log: pino({ level: 'warn' }), signIn })
  const origin = await app.listen({ port, host: '127.0.0.1' })
  return {
    origin,
    checks,
    code,
    async close() {
      await app.close()
      await store.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export function oneOfEach(): readonly Check[] {
  return checkTypes.map((checkType, index) =>
    testCheck(checkType, { everyMs: 5 * minuteMs, tags: index % 2 === 0 ? ['web', 'shop'] : ['infrastructure'] }),
  )
}
