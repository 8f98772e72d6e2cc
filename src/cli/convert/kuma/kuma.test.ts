import { Buffer } from 'node:buffer'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { DatabaseSync } from '@photostructure/sqlite'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { command } from '../../../../test/support/command.ts'
import { type Conversion, changesBetween, converted, convertedAt, convertRun, reportedFor } from '../../../../test/support/conversion.ts'
import {
  type KumaRows,
  kumaDatabase,
  kumaTables,
  monitorColumns1,
  monitorColumns2,
  sampleRow,
} from '../../../../test/support/kuma-database.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { resultsOf } from '../../../../test/support/temporary-store.ts'
import { readConfig } from '../../../catalogue/open.ts'
import { sha256 } from '../../../ids/sha256.ts'
import { createEmbeddedStore } from '../../../store/embedded/embedded-store.ts'
import { dayMs } from '../../../time.ts'
import { notSettings } from './monitor-fields.ts'

type Monitor = KumaRows[string][number]

const site = { interval: 60, url: 'https://example.com', type: 'http' }
const supported: readonly Monitor[] = [
  { name: 'Plain', ...site },
  { name: 'Paused', ...site, active: 0 },
  { name: 'Posted', ...site, method: 'POST', body: '{"a":1}', http_body_encoding: 'json', headers: '{"X-One":"1"}' },
  { name: 'Form', ...site, method: 'POST', body: 'a=1', http_body_encoding: 'form' },
  { name: 'Xml', ...site, method: 'PUT', body: '<a/>', http_body_encoding: 'xml' },
  { name: 'Basic', ...site, auth_method: 'basic', basic_auth_user: 'ann', basic_auth_pass: "it's $ecret" },
  { name: 'Codes', ...site, accepted_statuscodes_json: '["200-204","404"]' },
  { name: 'No redirects', ...site, maxredirects: 0, ignore_tls: 1 },
  { name: 'Opposite', ...site, upside_down: 1 },
  { name: 'Keyword', ...site, type: 'keyword', keyword: `Welcome \${NAME}` },
  { name: 'No keyword', ...site, type: 'keyword', keyword: 'Error', invert_keyword: 1 },
  { name: 'Query', ...site, type: 'json-query', json_path: 'data.items[0].state', expected_value: 'up' },
  { name: 'Jsonata', ...site, type: 'json-query', json_path: '$count(items)', expected_value: '3' },
  { name: 'Retried', ...site, maxretries: 3, retry_interval: 30, timeout: 12.5 },
  { name: 'Retried often', ...site, maxretries: 20, retry_interval: 5 },
  { name: 'Fast', ...site, interval: 3 },
  { name: 'Secret address', ...site, url: 'https://ann:hunter2@example.com/a?api_key=0123456789abcdef&b=1' },
  { name: 'Ntlm', ...site, auth_method: 'ntlm', basic_auth_user: 'ann', auth_domain: 'corp' },
  { name: 'Mtls', ...site, auth_method: 'mtls', tls_cert: 'PEM' },
  { name: 'Oauth', ...site, auth_method: 'oauth2-cc', oauth_client_id: 'me' },
  { name: 'Port', interval: 60, type: 'port', hostname: 'db.example.com', port: 5432 },
  { name: 'Closed port', interval: 60, type: 'port', hostname: 'db.example.com', port: 23, upside_down: 1 },
  { name: 'Ping', interval: 60, type: 'ping', hostname: '192.0.2.1', packet_size: 1400 },
  {
    name: 'Name',
    interval: 60,
    type: 'dns',
    hostname: 'example.com',
    dns_resolve_server: '1.1.1.1, 8.8.8.8',
    dns_resolve_type: 'MX',
    port: 5353,
  },
  { name: 'Push', interval: 300, type: 'push', push_token: 'abcDEF1234', maxretries: 2, retry_interval: 60 },
  { name: 'Browser', interval: 300, type: 'real-browser', url: 'https://example.com/page' },
]
const unsupported = [
  'docker',
  'mqtt',
  'sqlserver',
  'postgres',
  'mysql',
  'mongodb',
  'redis',
  'radius',
  'grpc-keyword',
  'gamedig',
  'steam',
  'kafka-producer',
  'snmp',
  'smtp',
  'rabbitmq',
  'tailscale-ping',
  'manual',
  'globalping',
  'ntp',
  'pm2',
  'system-service',
  'sip-options',
  'websocket-upgrade',
  'oracledb',
].map((type) => ({ name: `A ${type}`, interval: 60, type, hostname: 'service.example.com', port: 1883 }))
const refused: readonly Monitor[] = [
  { name: 'Ping upside down', interval: 60, type: 'ping', hostname: '192.0.2.1', upside_down: 1 },
  { name: 'Service records', interval: 60, type: 'dns', hostname: 'example.com', dns_resolve_type: 'SRV' },
  { name: 'No address', ...site, url: 'https://' },
  { name: 'No token', interval: 60, type: 'push' },
]
const monitors = [...supported, ...unsupported, ...refused]

describe('monitors of Uptime Kuma', () => {
  test('each is in the output or in the report', async () => {
    expect(monitors.length).toBeGreaterThanOrEqual(40)
    const conversion = await converted('kuma', [kumaDatabase({ monitor: monitors })])
    const leftOut = conversion.lines.filter(({ outcome }) => outcome === 'left out').map(({ item }) => item)
    expect(conversion.carried.map(({ item }) => item)).toEqual(supported.map(({ name }) => name))
    expect(leftOut).toEqual([...unsupported, ...refused].map(({ name }) => name))
    expect(conversion.text).toMatchSnapshot()
    expect(conversion.lines.map(({ item, field, outcome, why }) => [outcome, item, field, why].join(' | '))).toMatchSnapshot()
  })

  test('secrets are not in the config file, but in a file that only its owner can read', async () => {
    const conversion = await converted('kuma', [kumaDatabase({ monitor: monitors })])
    for (const secret of ["it's $ecret", 'hunter2', '0123456789abcdef', 'abcDEF1234']) expect(conversion.text).not.toContain(secret)
    expect(Object.values(conversion.environment)).toEqual(expect.arrayContaining(["it's $ecret", 'hunter2', '0123456789abcdef']))
    expect(conversion.checks.get('Push')).toMatchObject({ heartbeat: { token: sha256('abcDEF1234') } })
    for (const file of readdirSync(conversion.folder)) expect(statSync(join(conversion.folder, file)).mode & 0o777).toBe(0o600)
  })

  const bases: readonly Monitor[] = supported
    .filter(({ name }) => ['Plain', 'Keyword', 'Query', 'Port', 'Ping', 'Name', 'Push', 'Browser'].includes(String(name)))
    .map(({ packet_size: _, ...base }) => ({ maxretries: 1, retry_interval: 20, ...base }))
  const column = /(\w+) (INTEGER|VARCHAR|TEXT|BOOLEAN|DATETIME|DOUBLE|SMALLINT)/g
  const columns = [...`${monitorColumns1},${monitorColumns2}`.matchAll(column)].map(([, name = '', type]) => ({
    name,
    isFlag: type === 'BOOLEAN',
  }))
  const changes: Readonly<Record<string, string | number>> = {
    active: 0,
    interval: 120,
    url: 'https://other.example.com',
    hostname: 'other.example.com',
    port: 8443,
    maxredirects: 0,
    accepted_statuscodes_json: '["201"]',
    method: 'POST',
    headers: '{"a":"b"}',
    http_body_encoding: 'form',
    auth_method: 'basic',
    dns_resolve_type: 'AAAA',
    dns_resolve_server: '9.9.9.9',
    conditions: '[{"type":"expression","variable":"record","operator":"contains","value":"x"}]',
    json_path: 'other.path',
    json_path_operator: '!=',
    ping_numeric: 0,
    save_error_response: 0,
    gamedig_given_port_only: 0,
    expiry_notification: 0,
    ip_family: 'ipv6',
    snmp_version: '3',
    parent: 1,
  }
  /** Settings without an effect of their own: of unselected authentication methods, and of alerts. */
  const dependent =
    /^(basic_auth_|auth_domain|auth_workstation|bearer_token|tls_|oauth_|expiry_notification|resend_interval|parent|push_token)/

  /** Settings that Uptime Kuma ignores for a type as well. */
  const meaningless: Readonly<Record<string, readonly string[]>> = {
    ...Object.fromEntries(['Plain', 'Keyword', 'Query'].map((name) => [name, ['http_body_encoding']])),
    Ping: ['ping_numeric'],
    Push: ['timeout', 'ip_family'],
  }

  test.each(bases.map((base) => [base.name, base] as const))('no setting of %s is lost silently', async (_, base) => {
    const names = columns.filter(({ name }) => !notSettings.includes(name) && !dependent.test(name))
    const changed = names.map(({ name, isFlag }) => ({
      ...base,
      name: `with ${name}`,
      [name]: changes[name] ?? (isFlag ? 1 : Number(base[name] ?? 0) + 7),
      ...(base.push_token !== undefined && { push_token: `token of ${name}` }),
    }))
    const conversion = await converted('kuma', [kumaDatabase({ monitor: [{ ...base, name: 'as it was' }, ...changed] }, 2)])
    expect(names.length).toBeGreaterThan(70)
    const before = said(conversion, 'as it was')
    const silent = changed
      .filter(({ name }) => isDeepStrictEqual(said(conversion, name), before))
      .map(({ name }) => name.slice('with '.length))
    expect(silent).toEqual(meaningless[String(base.name)] ?? [])
    expect(changed.map(({ name }) => `${name}: ${changesBetween(before, said(conversion, name))}`)).toMatchSnapshot()
  })

  /** The conversion of a monitor, except fields that always differ. */
  function said({ checks, lines }: Conversion, monitor: string) {
    const { id: _, name: __, heartbeat, ...entry } = checks.get(monitor) ?? {}
    const { token: ___, ...rest } = (heartbeat ?? {}) as Readonly<Record<string, unknown>>
    const reported = lines.filter(({ item }) => item === monitor).map(({ item: ____, ...line }) => line)
    return { entry, rest, reported }
  }

  test.each([
    [0.4, 1, []],
    [3, 3, []],
    [50, 50, []],
    [51, 50, ['It had 51; the maximum is 50.']],
  ])('of %s pings of a run, %i are kept', async (ping_count, pingCount, reported) => {
    const monitor = [{ name: 'Ping', interval: 60, type: 'ping', hostname: '192.0.2.1', ping_count }]
    const conversion = await converted('kuma', [kumaDatabase({ monitor }, 2)])
    expect(JSON.stringify(conversion.checks.get('Ping'))).toContain(`"pingCount":${pingCount}`)
    expect(conversion.lines.filter(({ field }) => field === 'ping_count').map(({ why }) => why)).toEqual(reported)
  })

  test.each([
    ['==', 'up', { comparison: 'equals', target: 'up' }],
    ['!=', 'up', { comparison: 'notEquals', target: 'up' }],
    ['contains', 'up', { comparison: 'contains', target: 'up' }],
    ['>', '3', { comparison: 'greaterThan', target: 3 }],
    ['<', '3', { comparison: 'lessThan', target: 3 }],
    ['>=', '3', { comparison: 'greaterThan', target: 2.999999 }],
    ['<=', '3', { comparison: 'lessThan', target: 3.000001 }],
    ['>', 'many', null],
    ['>', ' ', null],
    ['~', '3', null],
  ])('a comparison with %s %s becomes an assertion, or is reported', async (json_path_operator, expected_value, comparison) => {
    const monitor = [{ name: 'Query', ...site, type: 'json-query', json_path: 'state', json_path_operator, expected_value }]
    const conversion = await converted('kuma', [kumaDatabase({ monitor }, 2)])
    const { assertions = [] } = (conversion.checks.get('Query')?.request ?? {}) as { readonly assertions?: readonly { source: string }[] }
    const about = { source: 'jsonBody', property: '$.state' }
    expect(assertions.filter(({ source }) => source === about.source)).toEqual(
      comparison === null
        ? []
        : [
            { ...about, ...comparison },
            { ...about, comparison: 'notNull' },
          ],
    )
    expect(reportedFor(conversion, 'Query')).toEqual(comparison === null ? ['lost json_path_operator'] : [])
  })

  test.each([
    [[{ operator: 'contains' }], ['192.0.2.1'], []],
    [[{ operator: 'equals' }], ['192.0.2.1'], ['changed conditions']],
    [[{ operator: 'starts_with' }], [], ['lost conditions']],
    [[{ operator: 'contains', variable: 'other' }], [], ['lost conditions']],
    [[{ operator: 'contains', type: 'group' }], [], ['lost conditions']],
    [[{ operator: 'contains', value: '' }], [], ['lost conditions']],
    [[{ operator: 'contains' }, { operator: 'equals' }], [], ['lost conditions']],
    [[], [], []],
  ])('conditions %j of a name become an assertion if a record must have a text', async (given, targets, reported) => {
    const conditions = JSON.stringify(given.map((one) => ({ type: 'expression', variable: 'record', value: '192.0.2.1', ...one })))
    const monitor = [{ name: 'Name', interval: 60, type: 'dns', hostname: 'example.com', dns_resolve_type: 'A', conditions }]
    const conversion = await converted('kuma', [kumaDatabase({ monitor }, 2)])
    const assertions = JSON.stringify(conversion.checks.get('Name')).matchAll(/"comparison":"contains","target":"([^"]*)"/g)
    expect([...assertions].map(([, target]) => target)).toEqual(targets)
    expect(reportedFor(conversion, 'Name')).toEqual(reported)
  })

  test('a paused group pauses its members at any depth', async () => {
    const groups = [
      { id: 1, name: 'Shop', type: 'group', interval: 60, active: 0 },
      { id: 2, name: 'Checkout', type: 'group', interval: 60, parent: 1 },
      { id: 3, name: 'Mail', type: 'group', interval: 60 },
    ]
    const monitor = [
      ...groups,
      { name: 'Cart', ...site, parent: 2 },
      { name: 'Search', ...site, parent: 1 },
      { name: 'Smtp', ...site, parent: 3 },
    ]
    const conversion = await converted('kuma', [kumaDatabase({ monitor })])
    expect(['Cart', 'Search', 'Smtp'].map((name) => conversion.checks.get(name)?.activated)).toEqual([false, false, undefined])
    expect(reportedFor(conversion, 'Shop')).toContain('changed active')
  })

  test('groups keep their checks, and their parent groups become tags', async () => {
    const rows = [
      { id: 1, name: 'Shop', type: 'group', interval: 60 },
      { id: 2, name: 'Checkout', type: 'group', interval: 60, parent: 1 },
      { id: 3, name: 'Cart', ...site, parent: 2 },
      { id: 4, name: 'Alone', ...site },
    ]
    const conversion = await converted('kuma', [kumaDatabase({ monitor: rows })])
    expect(conversion.account.groups).toMatchObject([{ id: 'checkout', name: 'Checkout', checks: [{ name: 'Cart', tags: ['Shop'] }] }])
    expect(conversion.account.checks).toMatchObject([{ name: 'Alone' }])
    expect(reportedFor(conversion, 'Shop')).toEqual(['changed'])
  })

  test('tags keep their values', async () => {
    const tag = [
      { id: 1, name: 'env', color: '#fff' },
      { id: 2, name: 'a, b', color: '#fff' },
    ]
    const monitor_tag = [
      { monitor_id: 1, tag_id: 1, value: 'prod' },
      { monitor_id: 1, tag_id: 2, value: '' },
    ]
    const conversion = await converted('kuma', [kumaDatabase({ monitor: [{ id: 1, name: 'Cart', ...site }], tag, monitor_tag })])
    expect(conversion.checks.get('Cart')).toMatchObject({ tags: ['env=prod', 'a b'] })
    expect(reportedFor(conversion, 'tags')).toEqual(['lost color'])
  })
})

describe('notifications of Uptime Kuma', () => {
  const configs: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    Slack: { type: 'slack', slackwebhookURL: 'https://hooks.slack.com/services/T/B/abc', slackchannel: '#ops' },
    Discord: {
      type: 'discord',
      discordWebhookUrl: 'https://discord.com/api/webhooks/1/abc',
      discordChannelType: 'postToThread',
      threadId: '42',
    },
    Telegram: {
      type: 'telegram',
      telegramBotToken: '123456:ABCDEFGHIJKL',
      telegramChatID: '-100123',
      telegramServerUrl: 'https://api.telegram.org',
    },
    Ntfy: {
      type: 'ntfy',
      ntfytopic: 'my-topic',
      ntfyserverurl: 'https://ntfy.sh',
      ntfyPriority: 5,
      ntfyAuthenticationMethod: 'accessToken',
      ntfyaccesstoken: 'tk_12345',
    },
    Pager: {
      type: 'PagerDuty',
      pagerdutyIntegrationKey: '0123456789abcdef0123456789abcdef',
      pagerdutyIntegrationUrl: 'https://events.eu.pagerduty.com/v2/enqueue',
    },
    Teams: { type: 'teams', webhookUrl: 'https://example.webhook.office.com/x' },
    Matrix: { type: 'matrix', homeserverUrl: 'https://matrix.example.org', internalRoomId: '!abc:example.org', accessToken: 'syt_abc' },
    Gotify: { type: 'gotify', gotifyserverurl: 'https://gotify.example.com', gotifyapplicationToken: 'AbCdEf.123', gotifyPriority: 8 },
    Pushover: {
      type: 'pushover',
      pushoverapptoken: 'a'.repeat(30),
      pushoveruserkey: 'u'.repeat(30),
      pushoverpriority: '1',
      pushoversounds: 'pushover',
    },
    Mail: {
      type: 'smtp',
      smtpHost: 'smtp.example.com',
      smtpPort: 465,
      smtpSecure: true,
      smtpUsername: 'ann',
      smtpPassword: 'hunter2',
      smtpFrom: '"Kuma" <kuma@example.com>',
      smtpTo: 'a@example.com, b@example.com',
      smtpBCC: 'c@example.com',
    },
    Hook: {
      type: 'webhook',
      webhookURL: 'https://example.com/hook',
      webhookContentType: 'json',
      webhookAdditionalHeaders: '{"Authorization":"Bearer x1234567"}',
    },
  }
  const notification = [
    ...Object.entries(configs).map(([name, config], index) => ({ id: index + 1, name, config: JSON.stringify({ name, ...config }) })),
    { id: 90, name: 'Off', active: 0, config: JSON.stringify(configs.Slack) },
    { id: 91, name: 'Apprise', config: '{"type":"apprise","appriseURL":"mailto://x"}' },
    { id: 92, name: 'Broken', config: '{' },
  ]

  test('channels come over where there is such a type, and the others are reported', async () => {
    const monitor_notification = notification.map(({ id }) => ({ monitor_id: 1, notification_id: id }))
    const rows = {
      monitor: [{ id: 1, name: 'Cart', ...site, resend_interval: 10 }],
      notification,
      monitor_notification,
      setting: [{ key: 'tlsExpiryNotifyDays', value: '[3, 21]' }],
    }
    const conversion = await converted('kuma', [kumaDatabase(rows)])
    expect(conversion.account.channels).toMatchSnapshot()
    expect(conversion.account.channels).toHaveLength(Object.keys(configs).length)
    const [failing, certificate] = conversion.account.alerts ?? []
    expect(failing).toMatchObject({ remind: { every: '10m', times: 1000 } })
    expect(certificate).toMatchObject({ when: { certificate: { days: [21, 3] } } })
    expect(conversion.checks.get('Cart')?.alerts).toEqual([failing?.id, certificate?.id])
    expect(reportedFor(conversion, 'channel Slack')).toEqual(['lost slackchannel'])
    expect(reportedFor(conversion, 'channel Mail')).toEqual(['lost smtpBCC'])
    for (const name of ['Off', 'Apprise', 'Broken']) expect(reportedFor(conversion, `channel ${name}`)).toEqual(['left out'])
    expect(conversion.text).not.toMatch(/hunter2|syt_abc|tk_12345|AbCdEf|x1234567/)
  })

  test.each(Object.entries(configs))('no field of %s is lost silently', async (name, config) => {
    const report = async (more: object) => {
      const conversion = await converted('kuma', [
        kumaDatabase({
          monitor: [{ id: 1, name: 'Cart', ...site }],
          notification: [{ id: 1, name, config: JSON.stringify({ ...config, ...more }) }],
        }),
      ])
      return { lines: conversion.lines, channels: conversion.account.channels, environment: conversion.environment }
    }
    const before = await report({})
    const isReported = (field: string) => before.lines.some((line) => line.field === field)
    // Another body format of webhooks is not converted, which is reported.
    const others = Object.keys(config).filter((field) => !['type', 'webhookContentType'].includes(field) && !isReported(field))
    const all: string[] = []
    for (const field of ['a_field_of_tomorrow', ...others]) {
      const became = changesBetween(before, await report({ [field]: field === 'threadId' ? '43' : 'other' }))
      expect(became, field).not.toBe('')
      all.push(`${field}: ${became}`)
    }
    expect(all).toMatchSnapshot()
  })

  test('a monitor without notifications has no alert rule', async () => {
    const rows = {
      monitor: [
        { id: 1, name: 'Cart', ...site },
        { id: 2, name: 'Blog', ...site },
      ],
      notification: notification.slice(0, 1),
      monitor_notification: [{ monitor_id: 2, notification_id: 1 }],
    }
    const conversion = await converted('kuma', [kumaDatabase(rows)])
    expect(conversion.checks.get('Cart')?.alerts).toEqual([])
    expect(conversion.checks.get('Blog')?.alerts).toHaveLength(2)
  })
})

describe('settings and tables of Uptime Kuma', () => {
  const reportOf = async (rows: KumaRows, version: 1 | 2 = 2) => {
    const { lines, text } = await converted('kuma', [kumaDatabase({ monitor: [{ id: 1, name: 'Cart', ...site }], ...rows }, version)])
    return { lines, text }
  }
  /** Values that are not the defaults. */
  const settings = {
    primaryBaseURL: 'https://kuma.example.com',
    disableAuth: true,
    trustProxy: true,
    nscd: false,
    dnsCache: true,
    chromeExecutable: '#playwright_chromium',
    steamAPIKey: 'secret-4711',
    globalpingApiToken: 'secret-4711',
    cloudflaredTunnelToken: 'secret-4711',
    domainExpiryNotifyDays: [1],
    keepDataPeriodDays: 30,
    a_setting_of_tomorrow: 'secret-4711',
  }
  test.each(Object.entries(settings))('the setting %s is not lost silently', async (key, value) => {
    const setting = [{ key, value: JSON.stringify(value), type: 'general' }]
    const { lines } = await reportOf({ setting })
    const became = changesBetween((await reportOf({})).lines, lines)
    expect(became).not.toBe('')
    expect(became).toMatchSnapshot()
    expect(JSON.stringify(lines)).not.toContain('secret-4711')
  })

  test('internal values and defaults are not reported', async () => {
    const own = {
      jwtSecret: 'x',
      initServerTimezone: true,
      database_version: 10,
      checkUpdate: true,
      entryPage: 'dashboard',
      nscd: true,
      trustProxy: false,
    }
    const setting = Object.entries(own).map(([key, value]) => ({ key, value: JSON.stringify(value) }))
    expect((await reportOf({ setting })).lines).toEqual((await reportOf({})).lines)
  })

  test.each(kumaTables)('the rows of %s are read, reported or derived from others', async (table) => {
    const derived = [
      ...['maintenance_timeslot', 'monitor_tls_info', 'notification_sent_history', 'domain_expiry', 'knex_migrations'],
      // Parts of a status page, whose loss is reported.
      ...['group', 'monitor_group', 'status_page_cname', 'maintenance_status_page'],
      ...['heartbeat', 'monitor_tag', 'monitor_notification', 'monitor_maintenance', 'setting'],
    ]
    const { lines } = await reportOf({ [table]: [sampleRow(table)] })
    expect(lines.length > 1 || derived.includes(table)).toBe(true)
  })

  test('an unknown table is reported, unless it is empty', async () => {
    const file = kumaDatabase({ monitor: [{ id: 1, name: 'Cart', ...site }] })
    const database = new DatabaseSync(file)
    database.exec('CREATE TABLE empty (id INTEGER); CREATE TABLE tomorrow (id INTEGER); INSERT INTO tomorrow VALUES (1)')
    database.close()
    const { lines } = await converted('kuma', [file])
    expect(lines).toEqual([{ item: 'table tomorrow', field: null, outcome: 'left out', why: 'Unknown table. There are 1.' }])
  })

  test('stored responses of beats are counted', async () => {
    const beat = { monitor_id: 1, status: 1, msg: '', time: '2026-11-14 10:00:00.000', ping: 5 }
    const { lines } = await reportOf({ heartbeat: [beat, { ...beat, response: 'x' }] })
    expect(lines.map(({ why }) => why)).toContainEqual(expect.stringContaining('1 beats have a stored response'))
  })

  test.each([
    [1, 20, '1m', ['changed resend_interval', 'changed resend_interval']],
    [10, 60, '10m', ['changed resend_interval']],
    [1, 86_400, '1d', []],
    [60, 86_400, '30d', ['changed resend_interval']],
  ])('resending every %i beats of %i s is a reminder every %s', async (resend_interval, interval, every, reported) => {
    const rows = {
      monitor: [{ id: 1, name: 'Cart', ...site, interval, resend_interval }],
      notification: [{ id: 1, name: 'Teams', config: '{"type":"teams","webhookUrl":"https://example.webhook.office.com/x"}' }],
      monitor_notification: [{ monitor_id: 1, notification_id: 1 }],
    }
    const conversion = await converted('kuma', [kumaDatabase(rows)])
    expect(conversion.account.alerts?.[0]).toMatchObject({ remind: { every } })
    expect(reportedFor(conversion, 'Cart')).toEqual(reported)
  })
})

describe('maintenance of Uptime Kuma', () => {
  const clock = { start_time: '23:30', end_time: '01:00' }
  test.each([
    [
      'once',
      { strategy: 'single', start_date: '2026-11-20 22:00:00', end_date: '2026-11-21 02:00:00', timezone: 'Europe/Berlin' },
      [{ from: '2026-11-20T21:00:00.000Z', to: '2026-11-21T01:00:00.000Z' }],
    ],
    [
      'every day',
      { strategy: 'recurring-interval', interval_day: 1, ...clock, timezone: 'Europe/Berlin' },
      [{ every: 'day', at: '23:30', for: '90m', timezone: 'Europe/Berlin' }],
    ],
    [
      'on weekdays',
      { strategy: 'recurring-weekday', weekdays: '[0,1,6]', ...clock },
      [{ every: 'week', on: ['sun', 'mon', 'sat'], at: '23:30', timezone: 'Asia/Tokyo' }],
    ],
    [
      'on days',
      { strategy: 'recurring-day-of-month', days_of_month: '[1,15]', ...clock, timezone: 'UTC' },
      [
        { every: 'month', on: 1 },
        { every: 'month', on: 15 },
      ],
    ],
    [
      'every three days',
      { strategy: 'recurring-interval', interval_day: 3, ...clock, start_date: '2026-10-23 10:00:00', timezone: 'Europe/Berlin' },
      [
        {
          from: '2026-10-23T21:30:00.000Z',
          to: '2026-10-23T23:00:00.000Z',
          repeat: { every: 'day', interval: 3 },
          timezone: 'Europe/Berlin',
        },
      ],
    ],
    [
      'every hundred days',
      { strategy: 'recurring-interval', interval_day: 100, ...clock, start_date: '2026-10-23 10:00:00', timezone: 'UTC' },
      [{ from: '2026-10-23T23:30:00.000Z', repeat: { every: 'day', interval: 100 } }],
    ],
    [
      'every day of some weeks',
      {
        strategy: 'recurring-interval',
        interval_day: 1,
        ...clock,
        start_date: '2026-11-01 00:00:00',
        end_date: '2026-11-15 00:00:00',
        timezone: 'UTC',
      },
      [{ from: '2026-11-01T23:30:00.000Z', repeat: { every: 'day', interval: 1, until: '2026-11-15T00:00:00.000Z' } }],
    ],
    [
      'on weekdays from a day on',
      { strategy: 'recurring-weekday', weekdays: '[3,0]', ...clock, start_date: '2026-11-18 23:45:00', timezone: 'UTC' },
      [
        { from: '2026-11-25T23:30:00.000Z', repeat: { every: 'week', interval: 1 } },
        { from: '2026-11-22T23:30:00.000Z', repeat: { every: 'week', interval: 1 } },
      ],
    ],
    [
      'on days of the month from a day on',
      { strategy: 'recurring-day-of-month', days_of_month: '[31]', ...clock, start_date: '2026-11-18 00:00:00', timezone: 'UTC' },
      [{ from: '2026-12-31T23:30:00.000Z', repeat: { every: 'month', interval: 1 } }],
    ],
    [
      'by a crontab',
      { strategy: 'cron', cron: '30 3 * * 1,3', duration: 3600, timezone: 'SAME_AS_SERVER' },
      [{ every: 'week', on: ['mon', 'wed'], at: '03:30', for: '1h', timezone: 'Asia/Tokyo' }],
    ],
    [
      'by a crontab of Sunday as 7',
      { strategy: 'cron', cron: '5 0 * * 7', duration: 90, timezone: 'UTC' },
      [{ every: 'week', on: ['sun'], at: '00:05', for: '90s' }],
    ],
    [
      'by a crontab of one day of the month',
      { strategy: 'cron', cron: '0 4 31 * *', duration: 3600, timezone: 'UTC' },
      [{ every: 'month', on: 31, at: '04:00', for: '1h' }],
    ],
    [
      'by a crontab of every day',
      { strategy: 'cron', cron: '59 23 * * *', duration: 3600, timezone: 'UTC' },
      [{ every: 'day', at: '23:59', for: '1h' }],
    ],
  ] as const)('%s', async (_, entry, expected) => {
    const conversion = await maintained(entry)
    expect(conversion.account.maintenance).toMatchObject(expected.map((one) => ({ ...one, name: 'Move', checks: ['cart'] })))
    expect(conversion.lines.map((line) => Object.values(line).join(' | '))).toMatchSnapshot()
  })

  test.each([
    ['by hand', { strategy: 'manual' }],
    ['every three days, without a first one', { strategy: 'recurring-interval', interval_day: 3, ...clock }],
    ['every year', { strategy: 'recurring-interval', interval_day: 365, ...clock, start_date: '2026-01-01 00:00:00' }],
    [
      'over before it begins',
      { strategy: 'recurring-interval', interval_day: 2, ...clock, start_date: '2026-01-02 00:00:00', end_date: '2026-01-01 00:00:00' },
    ],
    ['on the last day of a month', { strategy: 'recurring-day-of-month', days_of_month: '["lastDay1"]', ...clock }],
    ['by a crontab of many times', { strategy: 'cron', cron: '*/5 * * * *', duration: 60 }],
    ['by a crontab of no day', { strategy: 'cron', cron: '0 4 32 * *', duration: 60 }],
    ['by a crontab without a duration', { strategy: 'cron', cron: '0 4 * * *', duration: 0 }],
    ['switched off', { strategy: 'single', start_date: '2026-11-20 22:00:00', end_date: '2026-11-21 02:00:00', active: 0 }],
    ['without times', { strategy: 'single' }],
    ['on weekdays, without a time', { strategy: 'recurring-weekday', weekdays: '[1]' }],
    ['on no weekdays', { strategy: 'recurring-weekday', weekdays: '[]', ...clock }],
    ['on no days', { strategy: 'recurring-day-of-month', days_of_month: '[]', ...clock }],
    [
      'of a last day that cannot be read',
      { strategy: 'recurring-interval', interval_day: 1, ...clock, start_date: '2026-01-02 00:00:00', end_date: 'x' },
    ],
    ['of another kind', { strategy: 'lunar', ...clock }],
  ])('%s is left out and reported', async (_, entry) => {
    const conversion = await maintained(entry)
    expect(conversion.account.maintenance).toBeUndefined()
    expect(reportedFor(conversion, 'maintenance Move')).toEqual(['left out'])
    expect(conversion.lines.map((line) => Object.values(line).join(' | '))).toMatchSnapshot()
  })

  test('one without a converted monitor is left out', async () => {
    const rows = {
      monitor: [{ id: 1, name: 'Cart', ...site, type: 'docker' }],
      maintenance: [{ id: 1, title: 'Move', strategy: 'recurring-interval', interval_day: 1, ...clock }],
      monitor_maintenance: [{ monitor_id: 1, maintenance_id: 1 }],
    }
    const conversion = await converted('kuma', [kumaDatabase(rows)])
    expect(conversion.account.maintenance).toBeUndefined()
    expect(conversion.lines.find(({ item }) => item === 'maintenance Move')).toMatchObject({ why: 'None of its monitors was converted.' })
  })

  test('windows of a group apply to its checks', async () => {
    const rows = {
      monitor: [
        { id: 1, name: 'Shop', type: 'group', interval: 60 },
        { id: 2, name: 'Cart', ...site, parent: 1 },
      ],
      maintenance: [{ id: 1, title: 'Move', strategy: 'recurring-interval', interval_day: 1, ...clock }],
      monitor_maintenance: [{ monitor_id: 1, maintenance_id: 1 }],
    }
    const conversion = await converted('kuma', [kumaDatabase(rows)])
    expect(conversion.account.maintenance).toMatchObject([{ checks: ['cart'] }])
  })

  function maintained(entry: Readonly<Record<string, string | number>>) {
    return converted('kuma', [
      kumaDatabase({
        monitor: [{ id: 1, name: 'Cart', ...site }],
        maintenance: [{ id: 1, title: 'Move', ...entry }],
        monitor_maintenance: [{ monitor_id: 1, maintenance_id: 1 }],
        setting: [{ key: 'serverTimezone', value: '"Asia/Tokyo"' }],
      }),
    ])
  }
})

describe('beats of Uptime Kuma', () => {
  const [down, up, pending, maintenance] = [0, 1, 2, 3]
  const beats = [
    { monitor_id: 1, status: up, msg: '200 - OK', time: '2026-11-14 10:00:00.123', ping: 120 },
    { monitor_id: 1, status: pending, msg: 'timeout', time: '2026-11-14 10:01:00.000', ping: null },
    { monitor_id: 1, status: pending, msg: 'timeout', time: '2026-11-14 10:01:30.000', ping: null },
    { monitor_id: 1, status: down, msg: 'timeout of 48000ms exceeded', time: '2026-11-14 10:02:00.000', ping: null },
    { monitor_id: 1, status: maintenance, msg: 'Monitor under maintenance', time: '2026-11-14 10:03:00.000', ping: null },
    { monitor_id: 1, status: up, msg: '204 - No Content', time: '2026-11-14 10:04:00.000', ping: 80 },
    { monitor_id: 1, status: up, msg: '', time: 'yesterday', ping: 80 },
    { monitor_id: 1, status: up, msg: '', time: '2026-11-14 13:00:00.000', ping: 80 },
    { monitor_id: 2, status: up, msg: 'OK', time: '2026-11-14 10:00:00.000', ping: 3500 },
    { monitor_id: 3, status: up, msg: 'OK', time: '2026-11-14 10:00:00.000', ping: 1 },
  ]
  const monitor = [
    { id: 1, name: 'Cart', ...site },
    { id: 2, name: 'Job', interval: 300, type: 'push', push_token: 'abcDEF1234' },
    { id: 3, name: 'Queue', interval: 60, type: 'mqtt' },
  ]

  test('are converted to results, with pending ones as attempts', async () => {
    const conversion = await converted('kuma', [kumaDatabase({ monitor, heartbeat: beats })])
    expect(conversion.rows).toEqual([
      {
        checkId: 'cart',
        id: 'kuma-1',
        startedAt: '2026-11-14T10:00:00.123Z',
        runLocation: 'default',
        hasFailures: false,
        statusCode: 200,
        responseTime: 120,
      },
      {
        checkId: 'cart',
        id: 'kuma-4',
        startedAt: '2026-11-14T10:02:00.000Z',
        runLocation: 'default',
        hasFailures: true,
        attempts: 3,
        error: 'timeout of 48000ms exceeded',
      },
      {
        checkId: 'cart',
        id: 'kuma-6',
        startedAt: '2026-11-14T10:04:00.000Z',
        runLocation: 'default',
        hasFailures: false,
        statusCode: 204,
        responseTime: 80,
      },
      { checkId: 'job', id: 'kuma-9', startedAt: '2026-11-14T10:00:00.000Z', hasFailures: false, duration: 3500 },
    ])
    expect(conversion.lines.filter(({ field }) => field === 'heartbeat').map(({ why }) => why)).toEqual([
      '1 beats are from maintenance, when Uptime Kuma runs no checks.',
      '2 beats have no valid time or state.',
      '1 beats are not converted, because the monitor is not.',
    ])
  })

  test('of 2.x are limited to what it has kept, which is reported', async () => {
    const rows = { monitor, heartbeat: beats, stat_daily: [{ monitor_id: 1, timestamp: 1, ping: 1, up: 1, down: 0 }] }
    const conversion = await converted('kuma', [kumaDatabase(rows, 2)])
    expect(conversion.rows).toHaveLength(4)
    expect(reportedFor(conversion, 'table heartbeat')).toEqual(['changed'])
    expect(reportedFor(conversion, 'table stat_daily')).toEqual(['left out'])
  })

  test('in the write-ahead log are read, too', async () => {
    const file = kumaDatabase({ monitor })
    const writer = new DatabaseSync(file)
    writer.exec("INSERT INTO heartbeat (monitor_id, status, msg, time, ping) VALUES (1, 1, '200 - OK', '2026-11-14 10:00:00.000', 5)")
    const conversion = await converted('kuma', [file])
    writer.close()
    expect(conversion.rows).toMatchObject([{ checkId: 'cart', responseTime: 5 }])
  })

  test('of two years ago are kept by a cleanup', async () => {
    const old = { monitor_id: 1, status: up, msg: '200 - OK', time: '2024-11-14 10:00:00.000', ping: 5 }
    const { folder } = await converted('kuma', [kumaDatabase({ monitor: monitor.slice(0, 1), heartbeat: [old] })])
    const [config, data] = [join(folder, 'tidemark.yaml'), join(folder, 'data')]
    const imported = await command({ TIDEMARK_CONFIG: config, TIDEMARK_DATA: data }, ['import', join(folder, 'results.ndjson.gz')])
    expect(imported).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('1 accepted') })
    const store = await createEmbeddedStore({ directory: data, workers: 0, clock: () => convertedAt + 30 * dayMs })
    onTestFinished(() => store.close())
    await store.applyRetention((await readConfig(config, {})).service.retentionDays)
    expect(await resultsOf(store, 'cart')).toHaveLength(1)
  })

  test.each([
    ['of last year with the default', '2025-11-14', null, null, null],
    [
      'of last year, kept for 180 days',
      '2025-11-14',
      '180',
      null,
      'The other tool keeps them for 180 days; here they are kept for 400, unless the config file sets retention: 180d.',
    ],
    [
      'of two years ago, kept for 180 days',
      '2024-11-14',
      '180',
      '1130d',
      'The config file sets retention: 1130d, because results are deleted after 400 days by default. The other tool keeps them for 180 days. The oldest converted result is from 2024-11-14.',
    ],
    [
      'of two years ago with the default',
      '2024-11-14',
      null,
      '1130d',
      'The config file sets retention: 1130d, because results are deleted after 400 days by default. The oldest converted result is from 2024-11-14.',
    ],
    [
      'of two years ago, kept for 800 days',
      '2024-11-14',
      '"800"',
      '800d',
      'The config file sets retention: 800d, because results are deleted after 400 days by default. The other tool keeps them for 800 days. The oldest converted result is from 2024-11-14.',
    ],
    [
      'of two years ago, kept forever',
      '2024-11-14',
      '0',
      '36500d',
      'The config file sets retention: 36500d, because results are deleted after 400 days by default. The other tool keeps them forever. The oldest converted result is from 2024-11-14.',
    ],
    [
      'none, kept forever',
      null,
      '0',
      '36500d',
      'The config file sets retention: 36500d, because results are deleted after 400 days by default. The other tool keeps them forever.',
    ],
  ])('%s: the retention covers them, with a line in the report', async (_, day, keepDataPeriodDays, retention, why) => {
    const heartbeat = day === null ? [] : [{ monitor_id: 1, status: up, msg: '200 - OK', time: `${day} 10:00:00.000`, ping: 5 }]
    const setting = keepDataPeriodDays === null ? [] : [{ key: 'keepDataPeriodDays', value: keepDataPeriodDays }]
    const { text, lines } = await converted('kuma', [kumaDatabase({ monitor: monitor.slice(0, 1), heartbeat, setting })])
    expect(/^retention: (.*)$/m.exec(text)?.[1] ?? null).toBe(retention)
    expect(lines).toEqual(why === null ? [] : [{ item: 'results', field: 'retention', outcome: 'changed', why }])
  })
})

describe('an invalid database of Uptime Kuma', () => {
  const refusal = async (bytes: Buffer | string) => {
    const file = join(temporaryFolder(), 'kuma.db')
    writeFileSync(file, bytes)
    const { ended } = await convertRun('kuma', [file])
    return ended
  }

  test('that is a dump of MariaDB is rejected with a message', async () => {
    const { exitCode, stderr } = await refusal('-- MariaDB dump 10.19\nCREATE TABLE `monitor` (\n  `id` int(10)\n) ENGINE=InnoDB;\n')
    expect(exitCode).toBe(1)
    expect(stderr).toContain('is a database dump')
  })

  test('that does not exist is rejected', async () => {
    expect((await convertRun('kuma', ['/nowhere/kuma.db'])).ended).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('Cannot read '),
    })
  })

  test('of another program is rejected', async () => {
    const file = join(temporaryFolder(), 'other.db')
    const database = new DatabaseSync(file)
    database.exec('CREATE TABLE a (b); CREATE VIEW monitor AS SELECT 1 AS type')
    database.close()
    expect((await convertRun('kuma', [file])).ended).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('it has no monitors') })
  })

  test('with arbitrary bytes gives an error message', async () => {
    const magic = Buffer.from('SQLite format 3\u0000', 'latin1')
    const bytes = fc.uint8Array({ maxLength: 5000 })
    await fc.assert(
      fc.asyncProperty(bytes, fc.boolean(), async (body, isLike) => {
        const { exitCode, stderr } = await refusal(isLike ? Buffer.concat([magic, body]) : Buffer.from(body))
        expect(exitCode).toBe(1)
        expect(stderr).toMatch(/^[^\n]+\.\n$/)
      }),
      { numRuns: 40 },
    )
  })

  test('with damage is read as far as possible, or gives an error message', async () => {
    const whole = readFileSync(kumaDatabase({ monitor: monitors.slice(0, 10) }))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 200 }), async (damages) => {
        const bytes = Buffer.from(whole)
        for (const [at, byte] of damages) bytes[at] = byte
        const { exitCode, stderr } = await refusal(bytes)
        if (exitCode !== 0) expect(stderr).toMatch(/^[^\n]+\.\n$/)
      }),
      { numRuns: 40 },
    )
  })
})
