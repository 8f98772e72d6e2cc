import { expect, test } from 'vitest'
import { anyRunType, exampleCheck } from '../../../test/support/example-config.ts'
import { parseConfig } from '../../catalogue/config-file/parse.ts'
import { clientChannel, fileChannelEntry, healthEntry } from './alert-channel-entry.ts'

function policiesOf(account: object) {
  const parsed = parseConfig(JSON.stringify({ accounts: [{ id: 'acme', ...account }] }), {})
  const policies = 'config' in parsed ? parsed.config.policies.get('acme') : undefined
  if (!policies) throw new Error(JSON.stringify(parsed))
  return policies
}

test.each([
  [{ type: 'webhook', url: 'https://hooks.example.com/a' }, 'WEBHOOK', undefined],
  [{ type: 'slack', url: 'https://hooks.slack.com/services/T0/B0/x' }, 'SLACK', undefined],
  [{ type: 'email', host: 'mail.example.com', from: 'a@example.com', to: ['b@example.com'] }, 'EMAIL', undefined],
  [{ type: 'discord', url: 'https://discord.com/api/webhooks/1/x' }, 'WEBHOOK', 'WEBHOOK_DISCORD'],
  [{ type: 'ntfy', url: 'https://ntfy.sh', topic: 'ops' }, 'WEBHOOK', 'WEBHOOK_NTFY'],
])('a channel %j of the file has the type %s for clients', (channel, type, webhookType) => {
  const [parsed] = policiesOf({ channels: [{ id: 'ops', ...channel }] }).channels
  const entry = parsed && clientChannel(parsed)
  expect(entry).toMatchObject({
    type,
    config: { name: 'ops', address: expect.stringMatching(/example\.com|slack\.com|discord\.com|ntfy/) },
  })
  const config = entry?.config as { readonly webhookType?: string } | undefined
  expect(config?.webhookType).toBe(webhookType)
})

const url = 'https://hooks.example.com/a'
test.each([
  [[], { sendRecovery: false, sendFailure: false, sendDegraded: false, sslExpiry: false, sslExpiryThreshold: 30, autoSubscribe: false }],
  [[{}], { sendRecovery: true, sendFailure: true, sendDegraded: false, sslExpiry: false, autoSubscribe: true }],
  [[{ tags: ['web'] }], { sendFailure: true, autoSubscribe: false }],
  [[{ checks: ['home'] }], { sendFailure: true, autoSubscribe: false }],
  [[{ to: undefined, steps: [{ to: ['other'] }, { to: ['ops'], after: '10m' }] }], { sendRecovery: true, sendFailure: true }],
  [[{ when: 'degraded' }], { sendFailure: false, sendDegraded: true }],
  [[{ when: 'silent' }], { sendFailure: true, sendDegraded: false }],
  [[{ when: { certificate: { days: [14, 7] } } }], { sendFailure: false, sslExpiry: true, sslExpiryThreshold: 14 }],
  [[{ when: { certificate: { days: [90] } } }], { sslExpiry: true, sslExpiryThreshold: 30 }],
  [
    [{ when: 'degraded', tags: ['web'] }, { when: 'failing' }],
    { sendRecovery: true, sendFailure: true, sendDegraded: true, autoSubscribe: true },
  ],
])('the send settings of a channel with the rules %j', (rules, expected) => {
  const policies = policiesOf({
    ...{ channels: ['ops', 'other'].map((id) => ({ id, type: 'webhook', url })) },
    ...{ checks: [{ ...exampleCheck(anyRunType()), id: 'home', tags: ['web'] }] },
    alerts: [{ id: 'elsewhere', to: ['other'] }, ...rules.map((rule, i) => ({ id: `rule-${i}`, to: ['ops'], ...rule }))],
  })
  const [ops] = policies.channels
  expect(ops && fileChannelEntry(ops, 'acme', policies)).toMatchObject({ channelId: 'ops', channelType: 'webhook', ...expected })
})

test('the health of a channel has its secrets redacted', () => {
  const health = { state: 'broken', since: 0, lastAt: 1000, answer: '410 for a-secret-token' }
  expect(healthEntry(health as never, ['a-secret-token'])).toEqual({
    state: 'broken',
    since: '1970-01-01T00:00:00.000Z',
    lastAt: '1970-01-01T00:00:01.000Z',
    answer: expect.not.stringContaining('a-secret-token'),
  })
  expect(healthEntry(undefined, [])).toBeNull()
})
