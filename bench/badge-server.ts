import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fastify } from 'fastify'
import { pino } from 'pino'
import { buildCatalogue } from '../src/catalogue/build.ts'
import { parseConfig } from '../src/catalogue/config-file/parse.ts'
import { buildApp } from '../src/http/app.ts'
import { createEmbeddedStore } from '../src/store/embedded/embedded-store.ts'
import type { Store } from '../src/store/store.ts'
import { anyRunType, exampleCheck } from '../test/support/example-config.ts'

/** The measured process sends this to the measuring one. */
export type Servers = { readonly badges: string; readonly bare: string; readonly checkId: string; readonly bytes: number }
/** Store queries and CPU time so far. */
export type Usage = { readonly queries: number; readonly cpuMicros: number }

const directory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
const store = await createEmbeddedStore({ directory, workers: 0 })
let queries = 0
const counted = new Proxy(store, {
  get: (target, name: keyof Store) => {
    if (name !== 'ready' && name !== 'close') queries++
    return target[name]
  },
})

const checks = Array.from({ length: 100 }, (_, n) => ({ ...exampleCheck(anyRunType()), id: `check-${n}`, name: `Check ${n}` }))
const parsed = parseConfig(JSON.stringify({ accounts: [{ id: 'acme', publicBadges: true, checks }] }), {})
if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
const catalogue = buildCatalogue(parsed.config, [])
const app = await buildApp({ catalogue, store: counted, clock: { now: Date.now }, log: pino({ level: 'silent' }) })

const checkId = 'check-50'
const { body } = await app.inject(`/v1/badges/checks/${checkId}`)
const plain = fastify()
plain.get('/badge', (_, reply) => reply.type('image/svg+xml; charset=utf-8').send(body))
plain.get('/live', async () => ({ status: 'ok' }))

const servers: Servers = {
  badges: await app.listen({ host: '127.0.0.1', port: 0 }),
  bare: await plain.listen({ host: '127.0.0.1', port: 0 }),
  checkId,
  bytes: Buffer.byteLength(body),
}
process.send?.(servers)

function usage(): Usage {
  const { user, system } = process.cpuUsage()
  return { queries, cpuMicros: user + system }
}

process.on('message', async (message) => {
  if (message === 'usage') process.send?.(usage())
  if (message !== 'end') return
  await Promise.all([app.close(), plain.close()])
  await store.close()
  await rm(directory, { recursive: true })
  process.disconnect()
})
