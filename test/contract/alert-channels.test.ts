import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseConfig } from '../../src/catalogue/config-file/parse.ts'
import { channelNumber } from '../../src/catalogue/policies/channels.ts'
import { noPolicies } from '../../src/catalogue/policies/policies.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { account, testCatalogue } from '../support/catalogue.ts'
import { testChannelType } from '../support/channel-type.ts'

const channel = (id: string, more: object = {}) => ({ id, type: testChannelType.type, url: `https://loft.example/${id}`, ...more })
const config = {
  accounts: [
    {
      id: account,
      channels: [channel('ops', { token: 'a-secret-token', room: '$'.concat('{ROOM_SECRET}') }), channel('mail'), channel('unused')],
      alerts: [
        { id: 'all', to: ['ops'] },
        { id: 'slow', tags: ['shop'], when: 'degraded', to: ['ops', 'mail'] },
        { id: 'ends', tags: ['shop'], when: { certificate: { days: [60, 10] } }, to: ['mail'] },
      ],
    },
  ],
}

let api: TestApp
beforeAll(async () => {
  const parsed = parseConfig(JSON.stringify(config), { ROOM_SECRET: 'harbour-7' }, { channelTypes: [testChannelType] })
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
  api = await openTestApp({ catalogue: testCatalogue({ policies: parsed.config.policies.get(account) ?? noPolicies }) })
})
afterAll(() => api.close())

test('channels are listed in the format that clients expect, without secrets', async () => {
  const { body, headers, text } = await api.get('/v1/alert-channels')
  expect(headers['content-range']).toBe('0-2/3')
  expect(text).not.toMatch(/a-secret-token|harbour-7/)
  expect(body[0]).toEqual({
    id: channelNumber(account, 'ops'),
    channelId: 'ops',
    name: 'ops',
    channelType: 'pigeon',
    type: 'WEBHOOK',
    config: { name: 'ops', webhookType: 'WEBHOOK_PIGEON', url: 'https://loft.example/ops', token: '•••', room: '•••' },
    subscriptions: [],
    sendRecovery: true,
    sendFailure: true,
    sendDegraded: true,
    sslExpiry: false,
    sslExpiryThreshold: 30,
    autoSubscribe: true,
    created_at: null,
    updated_at: null,
    health: null,
  })
  expect(body[1]).toMatchObject({ sendFailure: false, sendDegraded: true, sslExpiry: true, sslExpiryThreshold: 30, autoSubscribe: false })
  expect(body[2]).toMatchObject({ sendRecovery: false, sendFailure: false, sendDegraded: false, sslExpiry: false, autoSubscribe: false })
})

test('channels are paged', async () => {
  const { body, headers } = await api.get('/v1/alert-channels?limit=2&page=2')
  expect(body.map(({ channelId }: { readonly channelId: string }) => channelId)).toEqual(['unused'])
  expect(headers['content-range']).toBe('2-2/3')
  expect(headers.link).toBe('</v1/alert-channels?limit=2&page=2>; rel="last"')
  expect((await api.get('/v1/alert-channels?limit=2&page=9')).headers['content-range']).toBe('*/3')
})
