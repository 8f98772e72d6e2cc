import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { utc } from '../../src/calendar/zone.ts'
import type { Catalogue, Check } from '../../src/catalogue/catalogue.ts'
import { noPolicies, type Policies } from '../../src/catalogue/policies/policies.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import type { OpenApi } from '../../src/http/reference/openapi.ts'
import { sha256 } from '../../src/ids/sha256.ts'
import type { FiledResult } from '../../src/store/store.ts'
import { importBuilt } from '../support/built.ts'
import { account, service, testCatalogue, testCheck, testKey, testSlo } from '../support/catalogue.ts'
import { exampleCheck } from '../support/example-config.ts'
import { withoutReferences } from '../support/openapi.ts'
import { testResult } from '../support/results.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import type { LargeWords } from './largest-calls.ts'
import { agentLocation, keyOf, now } from './world.ts'

const dayMs = 86_400_000
const checkCount = 200
/** Results of the first check of a type, in the 30 days before `now`: the first type has most. */
const resultsOf = (place: number) => (place === 0 ? 30_000 : 2000)
const unsealedResults = 1000
const resultsOfOthers = 50
const batchSize = 5000
const pingToken = 'ping-token-of-large-0123456789'
const locations = ['eu-west-1', 'us-east-1', 'ap-south-1', agentLocation]
const tags = Array.from({ length: 20 }, (_, i) => `tag-${i}`)

const checks: readonly Check[] = Array.from({ length: checkCount }, (_, i) => {
  const checkType = checkTypes[i % checkTypes.length] as (typeof checkTypes)[number]
  return testCheck(checkType, {
    id: `large-${i}`,
    name: `${checkType.label} ${i} `.padEnd(200, 'x'),
    tags: [tags[i % tags.length] ?? '', tags[(i + 7) % tags.length] ?? ''],
    locations,
    agentLocations: checkType.run ? [agentLocation] : [],
    settings: exampleCheck(checkType),
  })
})

export type LargeWorld = {
  readonly app: FastifyInstance
  readonly openApi: OpenApi
  readonly words: LargeWords
  readonly close: () => Promise<void>
}

/** The built API with reader threads over 200 checks and tens of thousands of results, most of them sealed. */
export async function openLargeWorld(): Promise<LargeWorld> {
  const { createEmbeddedStore } =
    await importBuilt<typeof import('../../src/store/embedded/embedded-store.ts')>('store/embedded/embedded-store.ts')
  const { buildApp } = await importBuilt<typeof import('../../src/http/app.ts')>('http/app.ts')
  const store = await createEmbeddedStore({ directory: temporaryFolder(), workers: 2, clock: () => now })
  for (const part of history('sealed')) await store.append(part)
  await store.seal()
  for (const part of history('unsealed')) await store.append(part)
  const app = await buildApp({ checkTypes, catalogue, store, clock: { now: () => now }, log: pino({ level: 'silent' }) })
  const openApi = withoutReferences(JSON.parse((await app.inject('/openapi.json')).body))
  const close = async () => {
    await app.close()
    await store.close()
  }
  return { app, openApi, words, close }
}

function* history(part: 'sealed' | 'unsealed'): Generator<readonly FiledResult[]> {
  for (const [place, check] of checks.entries()) {
    const count = place < checkTypes.length ? resultsOf(place) : resultsOfOthers
    const hot = place < checkTypes.length ? unsealedResults : 0
    const isIncluded = (i: number) => (part === 'unsealed') === i >= count - hot
    for (let from = 0; from < count; from += batchSize)
      yield Array.from({ length: Math.min(batchSize, count - from) }, (_, i) => from + i)
        .filter(isIncluded)
        .map((i) => resultAt(check, i, now - Math.round(((count - i) * 30 * dayMs) / count)))
  }
}

/** Fails in every tenth stretch of three, with one of a hundred errors. */
function resultAt(check: Check, i: number, startedAt: number): FiledResult {
  const runLocation = check.locations[i % check.locations.length] ?? ''
  const hasFailures = i % 30 < 3
  return testResult(check, startedAt, {
    runLocation,
    hasFailures,
    error: hasFailures ? `status ${i % 100}, expected 200 at https://${i}.example.test/` : null,
  })
}

const policies: Policies = {
  ...noPolicies,
  maintenance: Array.from({ length: 20 }, (_, i) => ({
    name: `maintenance ${i}`,
    every: 'day',
    atMinutes: i * 60,
    forMs: 1_800_000,
    zone: i % 2 === 0 ? utc : { name: 'Europe/Berlin' },
    checks: [],
    tags: [],
  })),
  serviceHours: [
    { name: 'office', days: ['mon', 'tue', 'wed', 'thu', 'fri'], fromMinutes: 480, toMinutes: 1200, zone: { name: 'Europe/Berlin' } },
  ],
  slos: [
    testSlo('large-slo'),
    testSlo('by-time', { objective: { kind: 'availability', by: 'time', target: 99 } }),
    ...tags.map((tag) => testSlo(`slo-${tag}`, { tags: [tag] })),
  ],
}

const credentials = ['read', 'ingest', 'metrics', 'agent'] as const
const catalogue: Catalogue = {
  ...testCatalogue({
    checks,
    keys: credentials.map((scope) => testKey(keyOf(account, scope), account, [scope === 'agent' ? `agent:${agentLocation}` : scope])),
    service: () => limitless,
    policies,
  }),
  checkByPingToken: (hash) => (hash === sha256(pingToken) ? checks.find(({ checkType }) => checkType.pingSettings) : undefined),
}
const limitless = { ...service, rateLimit: { requests: 1_000_000_000, perMs: 60_000 } }

const [first] = checks
const words: LargeWords = {
  names: {
    account,
    checks: checks.slice(0, checkTypes.length),
    tag: tags[0] ?? '',
    slo: 'large-slo',
    serviceHours: 'office',
    pingToken,
    results: checks.slice(0, checkTypes.length).map((check) => testResult(check, now - 60_000)),
  },
  checkIds: checks.map(({ id }) => id),
  tags,
  rows: first ? Array.from({ length: 10_000 }, (_, i) => rowAt(first, now - dayMs + i * 1000)) : [],
}

/** A result as it is posted, with all that its type measures. */
function rowAt(check: Check, startedAt: number): object {
  const { values, attempts } = testResult(check, startedAt).result
  return {
    checkId: check.id,
    startedAt: new Date(startedAt).toISOString(),
    runLocation: 'eu-west-1',
    hasFailures: false,
    attempts,
    ...values,
  }
}
