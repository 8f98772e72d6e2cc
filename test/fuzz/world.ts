import { vi } from 'vitest'
import type { AlertLoop } from '../../src/alerts/loop/alert-loop.ts'
import { utc } from '../../src/calendar/zone.ts'
import { type Account, type Catalogue, type Check, type Key, type Scope, scopes } from '../../src/catalogue/catalogue.ts'
import type { Link } from '../../src/catalogue/links.ts'
import { noPolicies, type Policies } from '../../src/catalogue/policies/policies.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import type { OpenApi } from '../../src/http/reference/openapi.ts'
import type { Deps } from '../../src/http/route.ts'
import { sha256 } from '../../src/ids/sha256.ts'
import { openTestAlerts } from '../support/alert-loop.ts'
import { alertRule } from '../support/alert-world.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { account, service, testCatalogue, testCheck, testKey, testLink, testSlo } from '../support/catalogue.ts'
import { testChannelType } from '../support/channel-type.ts'
import { exampleCheck } from '../support/example-config.ts'
import { withoutReferences } from '../support/openapi.ts'
import { type TestResult, testResult } from '../support/results.ts'
import { trialsOver } from '../support/trials.ts'

export const now = Date.UTC(2026, 10, 14, 12)
export const otherAccount = 'other'
/** Where agents run checks; their keys are of this location. */
export const agentLocation = 'agents-1'
const minute = 60_000

/** Names that a caller may use, of its own account and of another one. */
export type Names = {
  readonly account: string
  readonly checks: readonly Check[]
  readonly tag: string
  readonly slo: string
  readonly serviceHours: string
  readonly pingToken: string
  readonly pingKey: string
  readonly channel: string
  readonly checkGroup: string
  readonly variable: string
  /** The id of an open alert; set when a world is opened. */
  readonly alert: { id: string }
  /** The token of the link of its messages. */
  readonly acknowledgement: { token: string }
  readonly results: readonly TestResult[]
}

/** One check of each type, an hour of results of each, and an SLO; the two accounts share no id, tag or token. */
function namesOf(owner: string, tag: string): Names {
  const checks = checkTypes.map((checkType) =>
    testCheck(checkType, {
      id: `${tag}-${checkType.path}`,
      account: owner,
      tags: [tag],
      locations: ['eu-west-1', 'us-east-1', agentLocation],
      agentLocations: checkType.run ? [agentLocation] : [],
      settings: exampleCheck(checkType),
    }),
  )
  const results = checks.flatMap((check) =>
    Array.from({ length: 60 }, (_, i) => testResult(check, now - (60 - i) * minute, i % 9 === 4 ? failing(i) : {})),
  )
  return {
    account: owner,
    checks,
    tag,
    slo: `${tag}-slo`,
    serviceHours: `${tag}-hours`,
    pingToken: `ping-token-of-${tag}-0123456789`,
    pingKey: `ping-key-of-${tag}-0123456789`,
    channel: `${tag}-channel`,
    checkGroup: owner === account ? '1000000012' : '1000000034',
    variable: `${tag}_variable`,
    alert: { id: '' },
    acknowledgement: { token: '' },
    results,
  }
}

const failing = (i: number) => ({
  hasFailures: true,
  hasErrors: i % 2 === 0,
  error: `status ${500 + i}, expected 200`,
  runLocation: 'us-east-1',
})

export const ours = namesOf(account, 'mine')
export const theirs = namesOf(otherAccount, 'them')

type Credential = (typeof scopes)[number] | 'agent'
const credentials: readonly Credential[] = [...scopes, 'agent']
const scopesOf = (credential: Credential): readonly Scope[] => [credential === 'agent' ? `agent:${agentLocation}` : credential]

const keyText = (owner: string, credential: string) => `tdm_${owner.padEnd(5, '0')}${credential.slice(0, 3)}_${'0'.repeat(32)}_000000`

/** The key of an account with one scope. */
export const keyOf = (owner: string, credential: Credential): string => keyText(owner, credential)

export type World = TestApp & {
  readonly openApi: OpenApi
  /** Adds a key that can be revoked. */
  readonly addKey: (text: string, scopes: readonly Scope[]) => { readonly revoke: () => void }
  readonly addLink: (token: string, path: string, more?: Partial<Link>) => { readonly revoke: () => void }
}

/** The API for two accounts with a check of each type, and a key of each scope. */
export async function openWorld(more: { readonly log?: Deps['log'] } = {}): Promise<World> {
  const keys: Key[] = [account, otherAccount].flatMap((owner) =>
    credentials.map((credential) => testKey(keyOf(owner, credential), owner, scopesOf(credential))),
  )
  const links: Link[] = []
  const results = [...ours.results, ...theirs.results]
  const alerts = async (parts: Parameters<typeof openTestAlerts>[0]) =>
    nameAlerts(await openTestAlerts({ ...parts, channelTypes: [testChannelType] }))
  const catalogue = catalogueOf(keys, links)
  const app = await openTestApp({ catalogue, now, results, alerts, managed: true, trials: trialsOver(catalogue), ...more })
  for (const names of [ours, theirs]) await addResources(app, names)
  const { body } = await app.get('/openapi.json', {})
  return {
    ...app,
    openApi: withoutReferences(body),
    addKey: (text, granted) => added(keys, testKey(text, account, granted)),
    addLink: (token, path, rest = {}) => added(links, testLink(token, path, rest)),
  }
}

/** Adds managed resources other than checks. */
async function addResources({ store }: TestApp, { account: owner, checkGroup, variable }: Names): Promise<void> {
  const added = (kind: string, id: string, definition: object) => {
    const body = JSON.stringify({ definition, createdAt: now })
    return { kind, account: owner, id, expected: 0, action: 'create', changes: '[]', body }
  }
  const changes = [
    added('check-group', checkGroup, { name: checkGroup }),
    added('variable', variable, { key: variable, value: 'x', locked: false, secret: false }),
  ]
  await store.documents.write(changes, { keyId: 'k', keyName: 'k' })
}

/** The checks fail at one of their locations, so that each account gets alerts. */
async function nameAlerts(alerts: AlertLoop): Promise<AlertLoop> {
  for (const names of [ours, theirs]) {
    const query = { account: names.account, from: 0, to: now + 1, channel: null, hasFailures: false, limit: 1, offset: 0 }
    const told = async () => (await alerts.deliveries(query))[0]?.delivery.message
    const { incident, links } = await vi.waitUntil(told, { timeout: 20_000 })
    names.alert.id = incident.id
    names.acknowledgement.token = links.acknowledge?.split('/').at(-1) ?? ''
  }
  return alerts
}

function added<T>(list: T[], item: T): { readonly revoke: () => void } {
  list.push(item)
  return { revoke: () => void list.splice(list.indexOf(item), 1) }
}

function catalogueOf(keys: readonly Key[], links: readonly Link[]): Catalogue {
  const accounts: readonly Account[] = [ours, theirs].map(({ account: id, pingKey }) => ({
    id,
    name: id,
    publicBadges: false,
    pingKeyHash: sha256(pingKey),
  }))
  const checks = [...ours.checks, ...theirs.checks]
  const allowed = { allowUploadedCode: true, allowManagedLocations: true }
  const limitless = { ...service, ...allowed, rateLimit: { requests: 1_000_000_000, perMs: 60_000 } }
  const policies = new Map([ours, theirs].map((names) => [names.account, policiesOf(names)]))
  return {
    ...testCatalogue({ accounts, keys, links, checks, service: () => limitless }),
    policies: (owner) => policies.get(owner) ?? noPolicies,
    checkByPingToken: (hash) => {
      const owner = [ours, theirs].find(({ pingToken }) => sha256(pingToken) === hash)
      return owner?.checks.find(({ checkType }) => checkType.pingSettings)
    },
  }
}

function policiesOf({ slo, tag, serviceHours, channel }: Names): Policies {
  const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri'] as const
  return {
    ...noPolicies,
    maintenance: [{ name: `${tag}-move`, every: 'day', atMinutes: 120, forMs: 3_600_000, zone: utc, checks: [], tags: [tag] }],
    serviceHours: [{ name: serviceHours, days: weekdays, fromMinutes: 480, toMinutes: 1200, zone: utc }],
    slos: [testSlo(slo, { tags: [tag] })],
    channels: [{ id: channel, type: testChannelType.type, settings: { url: 'http://loft.example' }, secrets: [] }],
    alerts: [alertRule({ steps: [{ afterMs: 0, to: [channel], during: null, outside: 'hold' }] })],
  }
}
