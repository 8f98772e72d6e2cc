import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { exampleCheck } from '../../../../test/support/example-config.ts'
import { triesOf } from '../../../../test/support/tries.ts'
import { agentScope } from '../../../catalogue/catalogue.ts'
import { type Config, parseConfig } from '../../../catalogue/config-file/parse.ts'
import { channelOf, rulesOf } from '../../../catalogue/managed/channel-layer.ts'
import { groupKind } from '../../../catalogue/managed/check-group.ts'
import { groupFindings } from '../../../catalogue/managed/group-findings.ts'
import { locationKind } from '../../../catalogue/managed/location-layer.ts'
import { parseWindow, windowKind } from '../../../catalogue/managed/maintenance-layer.ts'
import { channelKind, parseChannel } from '../../../catalogue/managed/parse-channel.ts'
import { createResourceIndex } from '../../../catalogue/managed/resources.ts'
import { sealedName, variableKind } from '../../../catalogue/managed/variables.ts'
import { createVault } from '../../../catalogue/managed/vault.ts'
import { type AlertRule, ruleSelector } from '../../../catalogue/policies/policies.ts'
import { ruleForCheck } from '../../../catalogue/policies/subscriptions.ts'
import { hiddenTexts } from '../../../catalogue/written-definition.ts'
import { checkTypes } from '../../../checks/registry.ts'
import { sha256 } from '../../../ids/sha256.ts'
import { judgeStored } from '../../../managed/judge-stored.ts'
import { checkKind, documentText } from '../../../managed/managed-document.ts'
import { resourceChange } from '../../../managed/resources/active-resources.ts'
import { sealCheck } from '../../../managed/seal.ts'
import { exportManaged } from './export-managed.ts'

const vault = createVault(Buffer.alloc(32, 7))
const env = { OPEN: 'example.org', HOST: 'of-the-server.example' }
const configText = JSON.stringify({
  allowManagedLocations: true,
  allowUploadedCode: true,
  accounts: [
    {
      id: 'acme',
      managedVariables: ['OPEN'],
      channels: [
        {
          id: 'mail',
          type: 'email',
          host: 'mail.example.org',
          from: 'a@example.org',
          to: ['b@example.org'],
          username: 'u',
          password: 'mail-secret',
        },
      ],
      alerts: [{ id: 'all', to: ['mail'] }],
      checks: [{ ...exampleCheck(checkTypes[0] as (typeof checkTypes)[number]), id: 'of-the-file' }],
    },
    { id: 'other' },
  ],
})

type Body = { readonly kind: string; readonly id: string; readonly definition: Readonly<Record<string, unknown>> }

function configOf(text: string, variables: Readonly<Record<string, string | undefined>>): Config {
  const parsed = parseConfig(text, variables)
  if ('faults' in parsed) throw new Error(`${JSON.stringify(parsed.faults)}\n${text}`)
  return parsed.config
}

const config = configOf(configText, env)

function headOf({ kind, id, definition }: Body, account: string, createdAt: number) {
  const body = documentText({ definition, createdAt })
  return {
    kind,
    account,
    id,
    version: 1,
    position: createdAt + 1,
    ordinal: 1,
    at: 0,
    keyId: '',
    keyName: '',
    action: 'create',
    changes: '[]',
    body,
  }
}

/** The effective configuration of managed resources, which the exported file must have as well. */
function effective(heads: readonly ReturnType<typeof headOf>[], account: 'acme' | 'other') {
  const own = config.accounts.find(({ id }) => id === account) ?? { id: account, name: account, publicBadges: false }
  const resources = createResourceIndex()
  resources.apply(heads.filter(({ kind }) => kind !== checkKind).map(resourceChange))
  const context = { account: own, env, resources, vault, service: config.service }
  const checks = heads
    .filter((head) => head.account === account && head.kind === checkKind)
    .flatMap(({ id, body }) => {
      const parsed = judgeStored(id, { definition: JSON.parse(body).definition }, context)
      return 'check' in parsed ? [parsed.check] : []
    })
  const ofFile = config.policies.get(account)?.channels ?? []
  const channels = resources.list(channelKind, account).flatMap((resource) => {
    const parsed = parseChannel(resource.id, channelOf(resource), { ...context, ofFile })
    return 'channel' in parsed ? [{ resource, channel: parsed.channel }] : []
  })
  const rules = channels.flatMap(({ resource }) => rulesOf(resource, { id: `channel-${resource.id}` }))
  const windows = resources.list(windowKind, account).flatMap(({ definition }) => {
    const parsed = parseWindow(definition)
    return 'policy' in parsed ? [parsed.policy] : []
  })
  return { checks, channels: channels.map(({ channel }) => channel), rules, windows }
}

/** The parts of the rules that matter, without their origin. */
function toldOf(check: Parameters<typeof ruleForCheck>[1] & Parameters<ReturnType<typeof ruleSelector>>[0], rules: readonly AlertRule[]) {
  const selected = rules.filter((rule) => ruleSelector(rule)(check)).map((rule) => ruleForCheck(rule, check))
  return selected
    .map(({ when, after, quorum, remind, steps, severity }) => {
      const counts = when.kind === 'failing' || when.kind === 'degraded'
      return JSON.stringify([
        when,
        counts && [after, quorum],
        remind,
        steps.map(({ afterMs, to, during, outside }) => [afterMs, to, during, outside]),
        severity,
      ])
    })
    .toSorted()
}

const names = ['HOST', 'TOKEN', 'PLAIN']
const literalText = fc.constantFrom('plain', 'yes', '1e3', 'a: b', '# b', `$$\{TOKEN}`, "it's", '2026-11-14', '\u2028 x', ' *a')
const anyValue = fc.constantFrom('value-one', 'value-two', '12345', 'true', 'shop.example.org', "quo'te $HOME")
const anyText = fc.oneof(
  literalText,
  fc.constantFrom(...names).map((name) => `$\{${name}}`),
  fc.constantFrom('OPEN', ...names).map((name) => `a-$\{${name}}-b`),
  fc.constant(`$\{PLAIN:-other}`),
)
const variableOf = (account: string) =>
  fc
    .record({ key: fc.constantFrom(...names), value: anyValue, mode: fc.constantFrom('plain', 'locked', 'secret') })
    .map(({ key, value, mode }): Body => {
      const flags = { key, locked: mode === 'locked', secret: mode === 'secret' }
      const text = mode === 'secret' ? { sealed: vault.seal(value, { account, name: key }) } : { value }
      return { kind: variableKind, id: key, definition: { ...flags, ...text } }
    })
const fields = fc.record(
  {
    tags: fc.constantFrom(null, ['a'], ['b', 'c']),
    locations: fc.constantFrom(null, ['eu'], ['us', 'ap', 'dc-1']),
    retry: fc.constantFrom(null, { strategy: 'fixed', maxRetries: 3 }),
    activated: fc.constantFrom(null, true, false),
    dependsOn: fc.constantFrom(['check-0'], ['of-the-file']),
    alerts: fc.constantFrom(null, [], ['all']),
    runParallel: fc.boolean(),
  },
  { requiredKeys: [] },
)
const settings = fc.constantFrom(
  undefined,
  {
    escalationType: 'RUN_BASED',
    runBasedEscalation: { failedRunThreshold: 3 },
    timeBasedEscalation: { minutesFailingThreshold: 5 },
    reminders: { amount: 2, interval: 10 },
    parallelRunFailureThreshold: { enabled: true, percentage: 60 },
  },
  {
    escalationType: 'TIME_BASED',
    runBasedEscalation: { failedRunThreshold: 1 },
    timeBasedEscalation: { minutesFailingThreshold: 90 },
    reminders: { amount: 0, interval: 5 },
    parallelRunFailureThreshold: { enabled: false, percentage: 10 },
  },
)
const clientFields = fc
  .record({ channels: fc.uniqueArray(fc.constantFrom(1, 2, 3, 4, 9), { minLength: 1, maxLength: 4 }), settings, isGlobal: fc.boolean() })
  .map(({ channels, settings: alertSettings, isGlobal }) => ({
    alertChannelSubscriptions: channels.map((alertChannelId) => ({ alertChannelId, activated: alertChannelId !== 2 })),
    useGlobalAlertSettings: isGlobal,
    ...(alertSettings && { alertSettings }),
  }))
const requestType = checkTypes.find(({ groupRequest }) => groupRequest)
const requestParts = fc.record(
  {
    headers: fc.dictionary(fc.constantFrom('Authorization', 'x-api-key', 'Accept'), anyText),
    query: fc.dictionary(fc.constantFrom('token', 'q'), anyText),
    basicAuth: fc.record({ username: anyText, password: anyText }),
  },
  { requiredKeys: [] },
)
const anyGroup = (account: string) =>
  fc
    .record({
      defaults: fields.map((given) => ({ ...given, ...(given.dependsOn && { dependsOn: ['of-the-file'] }) })),
      request: requestParts,
      environment: fc.dictionary(fc.constantFrom(...names), anyValue),
      modes: fc.record({ locked: fc.subarray(names), secret: fc.subarray(names) }),
      clientFields: fc.option(clientFields, { nil: undefined }),
    })
    .map(({ defaults, request, environment, modes, clientFields: sentFields }): Readonly<Record<string, unknown>> => {
      const sealed = Object.entries(environment).map(([key, value]) => [
        key,
        modes.secret.includes(key) ? vault.seal(value, { account, name: sealedName('check-group', key) }) : value,
      ])
      const definition = {
        name: 'Group',
        defaults,
        request: { url: 'http://127.0.0.1:8790', ...request },
        ...modes,
        environment: Object.fromEntries(sealed),
        ...(sentFields && { clientFields: sentFields }),
      }
      return groupFindings(definition, checkTypes).length === 0 ? definition : { name: 'Group', defaults }
    })
const anyCheck = fc
  .record({
    checkType: fc.oneof(fc.constantFrom(...checkTypes), fc.constant(requestType as (typeof checkTypes)[number])),
    name: anyText,
    own: fields,
    request: requestParts,
    url: fc.constantFrom(
      'http://127.0.0.1:8790/a',
      `$\{GROUP_BASE_URL}/b`,
      'http://user:password-one@127.0.0.1:8790',
      `https://$\{HOST}/`,
      `http://127.0.0.1:8790/?token=$\{TOKEN:-written-out}`,
    ),
    groupId: fc.constantFrom(undefined, 1, 2),
    variables: fc.option(
      fc.record({
        environment: fc.dictionary(fc.constantFrom('OPEN', ...names), anyValue),
        locked: fc.subarray(names),
        secret: fc.subarray(names),
      }),
      { nil: undefined },
    ),
    clientFields: fc.option(clientFields, { nil: undefined }),
  })
  .map(({ checkType, name, own, request, url, groupId, variables, clientFields: sentFields }, index = 0) => {
    const isRequest = checkType === requestType
    const { dependsOn, ...rest } = own
    const given = checkType.pingSettings ? {} : rest
    const example = exampleCheck(checkType)
    return {
      ...example,
      ...given,
      ...(dependsOn && { dependsOn }),
      ...(isRequest && { request: { ...(example.request as object), ...request, url } }),
      name,
      ...(checkType.wire?.hasVariables && variables && { variables }),
      ...(groupId !== undefined && { groupId }),
      ...(sentFields && { clientFields: sentFields }),
      index,
    }
  })
const anyChannel = fc.record({
  config: fc.constantFrom(
    {
      type: 'WEBHOOK',
      config: { name: 'Ops', url: 'https://hooks.example.org/a/secret-path-of-hook', template: '{"a": "$' + '{OPEN} {{ALERT_TITLE}}"}' },
    },
    {
      type: 'WEBHOOK',
      config: {
        url: `https://$\{OPEN}/x`,
        headers: [{ key: 'Authorization', value: 'Bearer literal-secret' }],
        queryParameters: [{ key: 'token', value: 'query-secret' }],
      },
    },
    { type: 'SLACK', config: { url: 'https://hooks.slack.com/services/T00000001/B00000001/aB3dE5gH7jK9mN1pQ3rS5tU7' } },
    { type: 'PAGERDUTY', config: { serviceKey: '0123456789abcdef0123456789abcdef' } },
    { type: 'EMAIL', config: { address: 'ops@example.org' } },
  ),
  sendRecovery: fc.boolean(),
  sendFailure: fc.boolean(),
  sendDegraded: fc.boolean(),
  sslExpiry: fc.boolean(),
  sslExpiryThreshold: fc.constantFrom(30, 10),
  autoSubscribe: fc.boolean(),
})
const anyWindow = fc.constantFrom(
  { name: 'Once', from: '2026-11-20T22:00:00Z', to: '2026-11-21T00:00:00Z' },
  {
    name: `$\{OPEN}`,
    from: '2026-11-20T22:00:00Z',
    to: '2026-11-21T00:00:00Z',
    repeat: { every: 'month', interval: 2, until: '2027-06-01' },
    timezone: 'Europe/Berlin',
    tags: ['a'],
  },
)
const unique = <T>(one: fc.Arbitrary<T>, maxLength: number) => fc.array(one, { maxLength })
const managedOf = (account: 'acme' | 'other') =>
  fc
    .record({
      variables: fc.uniqueArray(variableOf(account), { selector: ({ id }) => id }),
      groups: fc.tuple(anyGroup(account), anyGroup(account)),
      checks: unique(anyCheck, 8),
      channels: unique(anyChannel, 4),
      windows: unique(anyWindow, 2),
      locations: fc.boolean(),
    })
    .map(({ variables, groups, checks, channels, windows, locations }): readonly Body[] => [
      ...variables,
      ...groups.map((definition, index) => ({ kind: groupKind, id: String(index + 1), definition })),
      ...channels.map(({ config: given, ...rest }, index) => ({
        kind: channelKind,
        id: String(index + 1),
        definition: { ...given, ...rest },
      })),
      ...windows.map((definition, index) => ({ kind: windowKind, id: String(index + 1), definition })),
      ...(locations
        ? [
            {
              kind: locationKind,
              id: '1',
              definition: { name: 'DC', slugName: 'dc-1', keys: [{ id: 'abcdefgh', hash: sha256(account), createdAt: 0 }] },
            },
          ]
        : []),
      ...checks.map(({ index: _, ...definition }, index) => {
        const id = `check-${index}`
        const dependsOn = index === 0 ? undefined : definition.dependsOn
        const token = { heartbeat: { period: '1h', grace: '5m', token: `token-of-32-characters-${account}-${index}-0123456789` } }
        const isPinged = checkTypes.some(({ type, pingSettings }) => type === Object(definition).type && pingSettings)
        const own = sealCheck(
          { ...definition, ...(isPinged && token), dependsOn, id },
          { account: { id: account }, vault, previous: undefined },
        )
        return { kind: checkKind, id, definition: own }
      }),
    ])

test('the exported file is equivalent to the documents', () => {
  fc.assert(
    fc.property(managedOf('acme'), managedOf('other'), (ofAcme, ofOther) => {
      const heads = [
        ...ofAcme.map((body, index) => headOf(body, 'acme', index)),
        ...ofOther.map((body, index) => headOf(body, 'other', index)),
      ]
      const { yaml, variables, notes } = exportManaged(heads, { config, account: null, env, vault })
      const file = configOf(yaml, { ...env, ...Object.fromEntries([...variables].map(([name, value]) => [name, value ?? undefined])) })
      for (const account of ['acme', 'other'] as const) {
        const { checks, channels, rules, windows } = effective(heads, account)
        const policies = file.policies.get(account)
        const exported = new Map(file.checks.filter((check) => check.account === account).map((check) => [check.id, check]))
        expect([...exported.keys()].toSorted()).toEqual(checks.map(({ id }) => id).toSorted())
        for (const check of checks) {
          const same = exported.get(check.id)
          if (!same) throw new Error(`${check.id} is missing`)
          expect({ ...same.settings, tags: same.tags, retry: same.retry, locations: same.locations }).toEqual({
            ...check.settings,
            tags: check.tags,
            retry: check.retry,
            locations: check.locations,
          })
          expect(same.dependsOn).toEqual(check.dependsOn.filter((id) => exported.has(id)))
          if (check.alerts === null && isDeepEqual(same.dependsOn, check.dependsOn)) expect(same.fingerprint).toBe(check.fingerprint)
          expect(hiddenTexts(same)).toEqual(expect.arrayContaining([...hiddenTexts(check)]))
          expect(toldOf(same, policies?.alerts ?? [])).toEqual(toldOf(check, rules))
        }
        expect(policies?.channels.map(({ type, settings: given }) => [type, given]) ?? []).toEqual(
          channels.map(({ type, settings: given }) => [type, given]),
        )
        expect(policies?.maintenance ?? []).toEqual(windows)
        const hasLocation = heads.some((head) => head.account === account && head.kind === locationKind)
        expect(file.keys.filter((key) => key.account === account).map(({ hash, scopes }) => [hash, scopes])).toEqual(
          hasLocation ? [[sha256(account), [agentScope('dc-1')]]] : [],
        )
      }
      for (const secret of [
        'password-one',
        'literal-secret',
        'query-secret',
        'aB3dE5gH7jK9mN1pQ3rS5tU7',
        'mail-secret',
        'token-of-32',
        'written-out',
      ])
        expect(yaml).not.toContain(secret)
      expect(notes.length).toBe(new Set(notes).size)
    }),
    { numRuns: triesOf(100) },
  )
})

const isDeepEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

test('unused variables are reported, of the account and of the server', () => {
  const example = exampleCheck(requestType as (typeof checkTypes)[number])
  const request = { ...(example.request as object), url: `https://$\{USED}.example/$\{OWN}` }
  const bodies: readonly Body[] = [
    { kind: variableKind, id: 'IDLE', definition: { key: 'IDLE', value: 'a', locked: false, secret: false } },
    { kind: groupKind, id: '1', definition: { name: 'Shop', environment: { USED: 'shop', IDLE: 'b' } } },
    {
      kind: checkKind,
      id: 'cart',
      definition: {
        ...example,
        id: 'cart',
        request,
        groupId: 1,
        variables: { environment: { OWN: 'cart', IDLE_TOO: 'c' } },
      },
    },
  ]
  const heads = bodies.map((body, index) => headOf(body, 'acme', index))
  const { notes } = exportManaged(heads, { config, account: null, env, vault })
  expect(notes.filter((note) => note.includes('nothing uses it')).map((note) => note.split(': ')[1])).toEqual([
    'variable IDLE',
    'variable IDLE of group 1',
    'variable IDLE_TOO of check cart',
  ])
})

test('everything that a file cannot have is reported, and the rest is exported', () => {
  const example = exampleCheck(requestType as (typeof checkTypes)[number])
  const subscribed = (...ids: readonly number[]) => ({
    clientFields: { alertChannelSubscriptions: ids.map((alertChannelId) => ({ alertChannelId, activated: true })) },
  })
  const check = (id: string, more: object): Body => ({ kind: checkKind, id, definition: { ...example, id, name: id, ...more } })
  const hook = { type: 'WEBHOOK', config: { name: 'Ops', url: 'https://hooks.example.org/' } }
  const channel = (id: string, more: object): Body => ({
    kind: channelKind,
    id,
    definition: { ...hook, sendRecovery: true, sendFailure: true, sendDegraded: false, sslExpiry: false, autoSubscribe: false, ...more },
  })
  const location = (id: string, slugName: string, name: string, keys: readonly string[]): Body => ({
    kind: locationKind,
    id,
    definition: { name, slugName, keys: keys.map((key) => ({ id: key, hash: sha256(key), createdAt: 0 })) },
  })
  const window = { name: 'Night', from: '2026-11-20T22:00:00Z', to: '2026-11-21T00:00:00Z' }
  const sealed = { key: 'SEALED', sealed: 'unreadable', locked: false, secret: true }
  const bodies: readonly Body[] = [
    { kind: variableKind, id: 'SEALED', definition: sealed },
    { kind: groupKind, id: '1', definition: { name: 'Empty', request: { headers: { accept: 'text/html' } } } },
    { kind: groupKind, id: '2', definition: { name: 'Bare' } },
    check('cart', { ...subscribed(1, 2, 9), alerts: ['down', 'slow'], dependsOn: ['home', 'gone'] }),
    check('home', { ...subscribed(1), alerts: [] }),
    check('sealed', { request: { ...(example.request as object), url: `https://$\{SEALED}.example/` } }),
    check('wrong', { frequency: 'sometimes' }),
    channel('1', { sendRecovery: false, autoSubscribe: true }),
    channel('2', {}),
    channel('3', {}),
    channel('4', { type: 'SLACK', config: { url: 'not a URL' } }),
    { kind: windowKind, id: '1', definition: window },
    { kind: windowKind, id: '2', definition: { ...window, to: window.from } },
    location('1', 'dc-1', 'DC', ['aaaaaaaa', 'bbbbbbbb']),
    location('2', 'dc-2', 'DC', ['cccccccc']),
    location('3', 'dc-1', 'Twice', ['dddddddd']),
    location('4', 'default', 'The server', ['eeeeeeee']),
    location('5', 'idle', 'Idle', []),
  ]
  const heads = bodies.map((body, index) => headOf(body, 'acme', index))
  const { yaml, notes } = exportManaged(heads, { config, account: 'acme', env, vault: null })
  expect(notes).toEqual([
    'acme: check sealed: not verified: these variables have no value here: SEALED',
    'acme: check wrong: left out, because it is not active: /frequency frequency must be a duration such as 10s, 5m, 1h or 30d',
    'acme: alert channel 1 (Ops): autoSubscribe is not supported in a file: add new checks to its rules',
    'acme: alert channel 1 (Ops): rules in a file always notify of recoveries: sendRecovery: false is not supported',
    'acme: alert channel 3 (Ops): no check is subscribed to it, so no rule refers to it',
    'acme: alert channel 4 (slack): left out, because it is not active: /config/url url must be an address that starts with http:// or https://',
    'acme: private location dc-1: left out, because it is not active: its name is in use',
    'acme: private location default: left out, because it is not active: its name is in use',
    'acme: private location idle: left out, because it has no key',
    'acme: maintenance window 2: left out, because it is not active: to must be later than from',
    'acme: group 1 (Empty): it has no checks; its requests and variables are left out, since groups in a file have none',
    'acme: check cart: it is subscribed to the channel 9, which is not exported',
    'acme: check cart: alerts: down, slow is left out: these rules are not managed',
    'acme: check cart: dependsOn: gone is left out: these checks are not exported',
  ])
  const [exported] = parse(yaml).accounts
  const alerting = (id: string, checks: readonly string[]) => ({ id, checks, to: [id] })
  expect(exported).toMatchObject({
    id: 'acme',
    channels: ['channel-1', 'channel-2', 'channel-3'].map((id) => ({ id, type: 'webhook' })),
    alerts: [alerting('channel-1', ['cart', 'home']), alerting('channel-2', ['cart'])],
    groups: [
      { id: '1', name: 'Empty', checks: [] },
      { id: '2', name: 'Bare', checks: [] },
    ],
    checks: [
      { id: 'cart', dependsOn: ['home'], alerts: ['channel-1', 'channel-2'] },
      { id: 'home', alerts: ['channel-1'] },
      { id: 'sealed', request: { url: `https://$\{SEALED_SECRET}.example/` } },
    ],
    keys: [
      { id: 'aaaaaaaa', name: 'DC', scopes: ['agent:dc-1'] },
      { id: 'bbbbbbbb', name: 'DC 2', scopes: ['agent:dc-1'] },
      { id: 'cccccccc', name: 'DC 3', scopes: ['agent:dc-2'] },
    ],
    maintenance: [window],
  })
  for (const one of exported.checks) expect(one).not.toHaveProperty('clientFields')
  expect(exportManaged(heads, { config, account: 'other', env, vault: null })).toMatchObject({ notes: [] })
  const closed = exportManaged(heads.slice(-5), {
    config: configOf(configText.replace('"allowManagedLocations":true', '"allowManagedLocations":false'), env),
    account: null,
    env,
    vault: null,
  })
  const refused = (name: string, why: string) => `acme: private location ${name}: left out, because it is not active: ${why}`
  const isClosed = 'the config file does not allow managed locations'
  expect(closed.notes).toEqual([
    ...['dc-1', 'dc-2', 'dc-1'].map((name) => refused(name, isClosed)),
    refused('default', 'its name is in use'),
    refused('idle', isClosed),
  ])
})

test('rules are kept within the limits of a file, and reductions are reported', () => {
  const example = exampleCheck(requestType as (typeof checkTypes)[number])
  const settings = (failedRunThreshold: number, amount: number, interval: number, minutes: number | null) => ({
    escalationType: minutes === null ? 'RUN_BASED' : 'TIME_BASED',
    runBasedEscalation: { failedRunThreshold },
    timeBasedEscalation: { minutesFailingThreshold: minutes ?? 5 },
    reminders: { amount, interval },
    parallelRunFailureThreshold: { enabled: false, percentage: 10 },
  })
  const check = (id: string, alertSettings: object): Body => ({
    kind: checkKind,
    id,
    definition: {
      ...{ ...example, id, name: id },
      clientFields: { alertChannelSubscriptions: [{ alertChannelId: 1, activated: true }], useGlobalAlertSettings: false, alertSettings },
    },
  })
  const channel: Body = {
    kind: channelKind,
    id: '1',
    definition: {
      ...{ type: 'WEBHOOK', config: { url: 'https://hooks.example.org/' } },
      ...{ sendRecovery: true, sendFailure: true, sendDegraded: true, sslExpiry: true, sslExpiryThreshold: 10, autoSubscribe: false },
    },
  }
  const bodies = [
    channel,
    check('plain', settings(1, 0, 5, null)),
    check('runs', settings(3, 2, 10, null)),
    check('many', settings(5000, 2000, 60, null)),
    check('time', settings(1, 0, 5, 90)),
    check('days', settings(1, 0, 5, 20_000)),
  ]
  const heads = bodies.map((body, index) => headOf(body, 'acme', index))
  const { yaml, notes } = exportManaged(heads, { config, account: null, env, vault })
  const { alerts } = parse(yaml).accounts[0] as { alerts: { readonly id: string; readonly to: readonly string[] }[] }
  const settled = [
    { checks: ['plain'] },
    { checks: ['runs'], after: { runs: 3 }, remind: { every: '10m', times: 2 } },
    { checks: ['many'], after: { runs: 1000 }, remind: { every: '1h', times: 1000 } },
    { checks: ['time'], after: { time: '90m' } },
    { checks: ['days'], after: { time: '7d' } },
  ]
  const to = ['channel-1']
  const nameOf = (kind: string, i: number) => `channel-1${kind}${i === 0 ? '' : `-${i + 1}`}`
  expect(alerts).toEqual([
    ...settled.map((rule, i) => ({ id: nameOf('', i), ...rule, to })),
    ...settled.map((rule, i) => ({ id: nameOf('-degraded', i), ...rule, when: 'degraded', to })),
    ...settled.map(({ after: _, ...rule }, i) => ({
      ...{ id: nameOf('-certificate', i), ...rule, to },
      when: { certificate: { days: [10, 7, 1] } },
    })),
  ])
  const ids = ['channel-1-3', 'channel-1-5', 'channel-1-degraded-3', 'channel-1-degraded-5', 'channel-1-certificate-3']
  const most = 'a rule of a file has at most 1,000 runs or 7 days, and 1,000 reminders, at most 30 days apart'
  expect(notes).toEqual(ids.map((id) => `acme: alert channel 1 (webhook): ${most}: ${id} has that`))
})
