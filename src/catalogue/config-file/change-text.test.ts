import { expect, test } from 'vitest'
import { testCatalogue, testCheck } from '../../../test/support/catalogue.ts'
import { testChannelType } from '../../../test/support/channel-type.ts'
import { anyRunType } from '../../../test/support/example-config.ts'
import { changeText } from './change-text.ts'
import { parseConfig } from './parse.ts'

function version(account: object) {
  const parsed = parseConfig(JSON.stringify({ accounts: [{ id: 'acme', ...account }] }), {}, { channelTypes: [testChannelType] })
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
  return { catalogue: testCatalogue(), config: parsed.config }
}

test('changed channels and alert rules are named, without their settings', () => {
  const channel = (id: string, token: string) => ({ id, type: testChannelType.type, url: 'http://a.example', token })
  const rule = (id: string, severity: string) => ({ id, to: ['ops'], severity })
  const before = version({
    channels: [channel('ops', 'old-secret'), channel('old', 'x')],
    alerts: [rule('all', 'error'), rule('kept', 'info')],
  })
  const after = version({
    channels: [channel('ops', 'new-secret')],
    alerts: [rule('all', 'info'), rule('kept', 'info'), rule('new', 'info')],
  })
  expect(changeText(before, after)).toBe(
    '0 checks; channel acme/ops changed; channel acme/old removed; alert rule acme/new added; alert rule acme/all changed',
  )
})

test("changed canaries and dead man's switches are named", () => {
  const channel = { id: 'ops', type: testChannelType.type, url: 'http://a.example', token: 'x' }
  const common = { channels: [channel], alerts: [{ id: 'all', to: ['ops'] }] }
  const before = version({ ...common, canary: { eu: ['a.example:443'] }, deadManSwitch: { url: 'http://a.example/secret' } })
  const after = version({ ...common, canary: { eu: ['b.example:443'] }, deadManSwitch: { url: 'http://a.example/other' } })
  expect(changeText(before, after)).toBe("0 checks; canary acme/eu changed; dead man's switch of acme changed")
})

test('added, changed and removed checks are counted', () => {
  const { config } = version({})
  const checksOf = (versions: Readonly<Record<string, number>>) => ({
    catalogue: testCatalogue({ checks: Object.entries(versions).map(([id, updatedAt]) => testCheck(anyRunType(), { id, updatedAt })) }),
    config,
  })
  const before = checksOf({ same: 1, changed: 1, gone: 1, lost: 1 })
  expect(changeText(before, checksOf({ same: 1, changed: 2, new: 2 }))).toBe('3 checks, 1 added, 1 changed, 2 removed')
  expect(changeText(before, before)).toBe('4 checks')
})

test('changed keys, links and maintenance windows are named, up to ten of each', () => {
  const key = (name: string, scopes: readonly string[]) => ({ id: `Ab3dE9${name}`, name, hash: `sha256:${'0'.repeat(64)}`, scopes })
  const link = {
    id: 'Ab3dE9xQ',
    name: 'sheet',
    path: '/v1/slos',
    signature: `hmac-sha256:${'0'.repeat(64)}`,
    created: '2026-01-01T00:00:00Z',
    expires: '2026-02-01T00:00:00Z',
  }
  const night = (name: string, at: string) => ({ name, every: 'day', at, for: '1h', timezone: 'UTC' })
  const before = version({ keys: [key('k1', ['read'])], maintenance: [night('Patch', '02:00')] })
  const many = Array.from({ length: 12 }, (_, index) => night(`n${index}`, '03:00'))
  const after = version({ keys: [key('k1', ['read', 'ingest'])], links: [link], maintenance: [night('Patch', '02:30'), ...many] })
  const named = many.slice(0, 10).map(({ name }) => `acme/${name}`)
  expect(changeText(before, after)).toBe(
    `0 checks; key acme/k1 changed; link acme/sheet added; maintenance ${named.join(', ')}, 2 more added; maintenance acme/Patch changed`,
  )
})
