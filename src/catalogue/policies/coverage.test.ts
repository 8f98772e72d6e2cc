import { expect, test } from 'vitest'
import { testChannelType } from '../../../test/support/channel-type.ts'
import { anyRunType, exampleCheck, pingedTypes } from '../../../test/support/example-config.ts'
import { parseConfig } from '../config-file/parse.ts'
import { alertGaps } from './coverage.ts'

const check = (id: string, more: object = {}) => ({ ...exampleCheck(anyRunType()), id, name: id, locations: ['fra'], tags: [], ...more })
const channels = ['ops', 'fallback', 'spare'].map((id) => ({ id, type: testChannelType.type, url: 'http://a.example' }))
const checks = [
  check('cart', { tags: ['shop'] }),
  check('pay', { frequency: '1m' }),
  check('blog'),
  check('off', { activated: false }),
  check('quiet', { muted: true }),
]
const slos = [{ id: 'pays', checks: ['pay'], objective: { kind: 'availability', target: 99 }, window: '30d' }]

function gapsOf(account: object) {
  const text = JSON.stringify({ accounts: [{ id: 'acme', checks, channels, slos, ...account }] })
  const parsed = parseConfig(text, {}, { channelTypes: [testChannelType] })
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
  return alertGaps(parsed.config)[0]
}

test('a check is covered if a rule reports that it fails or that its SLO burns', () => {
  const alerts = [
    { id: 'shop', tags: ['shop'], to: ['ops'] },
    { id: 'burn', when: { sloBurn: { slos: ['pays'] } }, to: ['ops'] },
    { id: 'ends', when: 'certificate', to: ['ops'] },
  ]
  expect(gapsOf({ alerts })?.checks).toEqual(['blog'])
  expect(gapsOf({ alerts: [...alerts, { id: 'all', to: ['ops'] }] })?.checks).toEqual([])
})

test('an account without rules has no uncovered checks', () => {
  expect(gapsOf({})?.checks).toEqual([])
})

test('channels that no rule uses are unused, except the fallback', () => {
  expect(gapsOf({ alerts: [{ id: 'all', to: ['ops'] }] })?.channels).toEqual(['spare'])
  expect(gapsOf({})?.channels).toEqual(['ops', 'spare'])
})

test('canaries of a location without checks have no effect', () => {
  expect(gapsOf({ canary: { fra: ['127.0.0.1:53'], far: ['127.0.0.1:53'] } })?.canaries).toEqual(['far'])
})

test('a rule about silence without a check that has locations has no effect', () => {
  const silent = (id: string, more: object) => ({ id, when: 'silent', to: ['ops'], ...more })
  const alerts = [silent('all', {}), silent('pings', { checks: ['job'] })]
  const jobs = pingedTypes.map((checkType) => ({ ...exampleCheck(checkType), id: 'job', name: 'job' }))
  expect(gapsOf({ alerts, checks: [...checks, ...jobs] })?.silentRules).toEqual(['pings'])
})
