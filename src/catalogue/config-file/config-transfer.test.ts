import { expect, test } from 'vitest'
import { testChannelType } from '../../../test/support/channel-type.ts'
import { anyRunType, exampleCheck } from '../../../test/support/example-config.ts'
import { checkTypes } from '../../checks/registry.ts'
import { definitionOf, withSecrets } from '../definitions.ts'
import type { CheckEntry } from './config-schema.ts'
import { fromThread, toThread, transferKey } from './config-transfer.ts'
import { parseConfig } from './parse.ts'

test('a config with checks of every type and all policies is transferred to another thread unchanged', () => {
  const checks = checkTypes.map((checkType) => ({ ...exampleCheck(checkType), id: checkType.path }))
  const policies = {
    maintenance: [
      { name: 'Move', from: '2026-11-20', to: '2026-11-21' },
      { name: 'Night', every: 'month', on: 'first sunday', at: '02:00', for: '2h', timezone: 'Europe/Berlin' },
    ],
    serviceHours: [{ name: 'office', days: ['mon'], from: '08:00', to: '20:00', timezone: 'Europe/Berlin' }],
    slos: [
      { id: 'all', name: 'All', objective: { kind: 'availability', target: 99 }, window: { calendar: 'month', timezone: 'Europe/Berlin' } },
    ],
    channels: [{ id: 'ops', type: testChannelType.type, url: 'https://loft.example/ops', token: 'a-secret' }],
    alerts: [
      { id: 'all', steps: [{ to: ['ops'], during: 'office' }], group: { by: 'tag' }, remind: { every: '30m', times: 3 } },
      { id: 'ends', when: 'certificate', to: ['ops'] },
      { id: 'burns', when: 'sloBurn', to: ['ops'] },
    ],
    canary: { fra: ['127.0.0.1:53'] },
    deadManSwitch: { url: 'https://dead.example/man' },
  }
  const options = { channelTypes: [testChannelType] }
  const parsed = parseConfig(JSON.stringify({ accounts: [{ id: 'acme', checks, ...policies }] }), {}, options)
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
  const { head, checks: sent } = structuredClone(toThread(parsed.config))
  expect({ ...head, checks: sent.map((check) => fromThread(check, checkTypes)) }).toEqual(parsed.config)
})

test('the transfer key of a check changes only with its definition and secrets', () => {
  const check = definitionOf('acme', { ...exampleCheck(anyRunType()), name: 'Harbour' } as CheckEntry, anyRunType())
  expect(transferKey(withSecrets(check, ['harbour-7']))).toBe(transferKey(withSecrets(check, ['harbour-7'])))
  expect(transferKey(withSecrets(check, ['harbour-7']))).not.toBe(transferKey(check))
})
