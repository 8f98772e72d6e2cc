import { Check } from 'typebox/value'
import { expect, test } from 'vitest'
import { IcmpSettings } from './shape.ts'

test('the degraded packet loss must not exceed the maximum', () => {
  const request = { hostname: 'example.com' }
  expect(Check(IcmpSettings, { request, degradedPacketLoss: 20, maxPacketLoss: 20 })).toBe(true)
  expect(Check(IcmpSettings, { request, degradedPacketLoss: 21, maxPacketLoss: 20 })).toBe(false)
  expect(Check(IcmpSettings, { request, degradedPacketLoss: 21 })).toBe(true)
})
