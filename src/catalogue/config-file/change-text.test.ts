import { expect, test } from 'vitest'
import { testCatalogue } from '../../../test/support/catalogue.ts'
import { testChannelType } from '../../../test/support/channel-type.ts'
import { changeText } from './change-text.ts'
import { parseConfig } from './parse.ts'

function version(account: object) {
  const parsed = parseConfig(JSON.stringify({ accounts: [{ id: 'acme', ...account }] }), {}, { channelTypes: [testChannelType] })
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
  return { catalogue: testCatalogue(), config: parsed.config }
}

test('channels and alert rules that changed are named, without what they say', () => {
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

test("canaries and dead man's switches that changed are named", () => {
  const channel = { id: 'ops', type: testChannelType.type, url: 'http://a.example', token: 'x' }
  const common = { channels: [channel], alerts: [{ id: 'all', to: ['ops'] }] }
  const before = version({ ...common, canary: { eu: ['a.example:443'] }, deadManSwitch: { url: 'http://a.example/secret' } })
  const after = version({ ...common, canary: { eu: ['b.example:443'] }, deadManSwitch: { url: 'http://a.example/other' } })
  expect(changeText(before, after)).toBe("0 checks; canary acme/eu changed; dead man's switch of acme changed")
})
