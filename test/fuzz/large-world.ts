import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { exampleMessage } from '../../src/alerts/channels/example-message.ts'
import type { AlertMessage } from '../../src/alerts/channels/message.ts'
import { neverNotified } from '../../src/alerts/decide/compare.ts'
import type { Delivery, Incident } from '../../src/alerts/decide/model.ts'
import type { AlertLoop } from '../../src/alerts/loop/alert-loop.ts'
import { utc } from '../../src/calendar/zone.ts'
import type { Catalogue, Check } from '../../src/catalogue/catalogue.ts'
import { noPolicies, type Policies } from '../../src/catalogue/policies/policies.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import type { OpenApi } from '../../src/http/reference/openapi.ts'
import { sha256 } from '../../src/ids/sha256.ts'
import type { FiledResult, Store } from '../../src/store/store.ts'
import { alertRule } from '../support/alert-world.ts'
import { manageChecks } from '../support/app.ts'
import { importBuilt } from '../support/built.ts'
import { account, service, testCatalogue, testCheck, testKey, testSlo } from '../support/catalogue.ts'
import { testChannelType } from '../support/channel-type.ts'
import { testTransport } from '../support/channels.ts'
import { exampleCheck } from '../support/example-config.ts'
import { withoutReferences } from '../support/openapi.ts'
import { testResult } from '../support/results.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { trialsOver } from '../support/trials.ts'
import type { LargeWords } from './largest-calls.ts'
import { agentLocation, keyOf, now } from './world.ts'

const dayMs = 86_400_000
const checkCount = 200
/** Number of results of the first check of each type in the 30 days before `now`; the first type has the most. */
const resultsOf = (place: number) => (place === 0 ? 12_000 : 1000)
const unsealedResults = 1000
const resultsOfOthers = 50
const batchSize = 5000
const pingToken = 'ping-token-of-large-0123456789'
const pingKey = 'ping-key-of-large-0123456789'
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

/** The built API with reader threads, for 200 checks and some 25,000 results, most of them sealed. */
export async function openLargeWorld(): Promise<LargeWorld> {
  const { createEmbeddedStore } =
    await importBuilt<typeof import('../../src/store/embedded/embedded-store.ts')>('store/embedded/embedded-store.ts')
  const { buildApp } = await importBuilt<typeof import('../../src/http/app.ts')>('http/app.ts')
  const { openReplayThread } =
    await importBuilt<typeof import('../../src/alerts/replay/replay-in-thread.ts')>('alerts/replay/replay-in-thread.ts')
  const directory = temporaryFolder()
  const store = await createEmbeddedStore({ directory, workers: 2, clock: () => now })
  for (const part of history('sealed')) await store.append(part)
  await store.seal()
  for (const part of history('unsealed')) await store.append(part)
  const alerts = await openLargeAlerts(store)
  const { replay: replayAlerts, close: closeReplays } = openReplayThread({ directory })
  const modules = {
    ...(await importBuilt<typeof import('../../src/catalogue/managed/overlay.ts')>('catalogue/managed/overlay.ts')),
    ...(await importBuilt<typeof import('../../src/managed/managed-checks.ts')>('managed/managed-checks.ts')),
  }
  const { catalogue: all, managed } = await manageChecks({ ofFile: catalogue, store, now: () => now, env: {}, modules })
  const common = { checkTypes, catalogue: all, store, clock: { now: () => now }, log: pino({ level: 'silent' }) }
  const app = await buildApp({ ...common, alerts, replayAlerts, managed, trials: trialsOver(catalogue) })
  const openApi = withoutReferences(JSON.parse((await app.inject('/openapi.json')).body))
  const close = async () => {
    await app.close()
    await closeReplays()
    await managed.close()
    await alerts.close()
    await store.close()
  }
  return { app, openApi, words, close }
}

/** Alerts with their own thread, after a period in which whole groups of checks failed repeatedly. */
async function openLargeAlerts(store: Store): Promise<AlertLoop> {
  const { openAlertDatabase } =
    await importBuilt<typeof import('../../src/alerts/outbox/alert-database.ts')>('alerts/outbox/alert-database.ts')
  const { startAlerts } = await importBuilt<typeof import('../../src/alerts/loop/alert-loop.ts')>('alerts/loop/alert-loop.ts')
  const directory = temporaryFolder()
  const database = openAlertDatabase({ directory })
  const incidents = Array.from({ length: incidentCount }, (_, i) => largeIncident(i))
  const notified = incidents.map(({ id, members }) => ({ ...neverNotified(id, 'chat'), open: members.map(({ subject }) => subject) }))
  const deliveries = incidents.flatMap((incident) => Array.from({ length: messagesOfIncident }, () => largeDelivery(incident)))
  database.commit({ account, incidents, notified, deliveries, superseded: [], finished: incidents.map(({ id }) => id), now })
  for (const delivery of deliveries)
    database.recordAttempt(
      { account, delivery, at: now - 1000, outcome: 'delivered', answer: '200 '.padEnd(1000, 'x'), nextAt: null },
      null,
      { account, channel: delivery.channel, state: 'ok', since: now - 1000, answer: '200', lastAt: now - 1000 },
    )
  database.close()
  return startAlerts({
    directory,
    catalogue,
    store,
    channelTypes: [testChannelType],
    transport: testTransport({ now: () => now }),
    now: () => now,
    log: pino({ level: 'silent' }),
    publicUrl: () => 'https://tidemark.example',
    onConfigChange: () => () => {},
    measureBurn: async () => null,
  })
}

const incidentCount = 110
const messagesOfIncident = 10
const incidentId = (i: number) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`

function largeIncident(i: number): Incident {
  const at = now - i * 60_000 - 60_000
  const result = { id: incidentId(i), startedAt: at, runLocation: 'eu-west-1', responseTimeMs: 1, statusCode: 503 }
  const member = { since: at, openedAt: at, closedAt: at + 1, until: at + 1, endedBy: 'recovered', result, certificateDays: null } as const
  const members = Array.from({ length: 1000 }, (_, m) => {
    const { id, name } = checks[m % checks.length] as Check
    const more = { reason: 'x'.repeat(500), locations: { down: locations, known: 4 }, changes: [], flappingSince: null }
    return { ...member, ...more, subject: `${id} ${m}`, checkId: id, name }
  })
  const about = { account, rule: 'rule', key: '', condition: 'failing', severity: 'critical', acknowledged: null } as const
  return { ...about, id: incidentId(i), openedAt: at, closedAt: at + 1, members }
}

function largeDelivery({ id: incident, openedAt, members }: Incident): Delivery {
  const id = randomUUID()
  const { reason, locations, result, since } = members[0] as Incident['members'][number]
  const [check] = checks
  const subject = {
    name: 'x'.repeat(200),
    isNew: true,
    since,
    until: null,
    reason,
    locations,
    result,
    certificateDays: null,
    dependents: [],
  }
  const named = { check: { id: check?.id ?? '', type: check?.checkType.type ?? '', tags: [] }, links: { check: null, run: null } }
  const subjects = Array.from({ length: 20 }, () => ({ ...subject, ...named }))
  const message: AlertMessage = {
    ...exampleMessage('open', { id, now: openedAt }),
    incident: { id: incident, openedAt, closedAt: null },
    subjects,
    subjectCount: members.length,
  }
  return { message, channel: 'chat', incident, notifiedAfter: neverNotified(incident, 'chat'), decidedAt: openedAt }
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

/** Of every thirty results the first three fail, with one of a hundred errors. */
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
  channels: [{ id: 'chat', type: testChannelType.type, settings: { url: 'http://loft.example' }, secrets: [] }],
  // Only one rule covers all checks: with more of them, a replay would hit its limit and return little.
  alerts: Array.from({ length: 20 }, (_, i) => alertRule({ id: `rule-${i}`, checks: i === 0 ? [] : [`large-${100 + i}`] })),
  slos: [
    testSlo('large-slo'),
    testSlo('by-time', { objective: { kind: 'availability', by: 'time', target: 99 } }),
    ...tags.map((tag) => testSlo(`slo-${tag}`, { tags: [tag] })),
  ],
}

const credentials = ['read', 'ingest', 'operate', 'write', 'metrics', 'agent'] as const
const catalogue: Catalogue = {
  ...testCatalogue({
    accounts: [{ id: account, name: 'Acme Inc', publicBadges: false, pingKeyHash: sha256(pingKey) }],
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
    pingKey,
    channel: 'chat',
    checkGroup: '12',
    variable: 'WORD',
    alert: { id: incidentId(0) },
    acknowledgement: { token: 'none' },
    results: checks.slice(0, checkTypes.length).map((check) => testResult(check, now - 60_000)),
  },
  checkIds: checks.map(({ id }) => id),
  tags,
  rows: first ? Array.from({ length: 10_000 }, (_, i) => rowAt(first, now - dayMs + i * 1000)) : [],
}

/** A result in the format of a POST, with all values of its type. */
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
