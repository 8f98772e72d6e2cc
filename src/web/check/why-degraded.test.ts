import { expect, test } from 'vitest'
import type { Metric } from '../api/answers.ts'
import { degradedSince, whyDegraded } from './why-degraded.ts'

const metric = (name: string, label: string, unit: Metric['unit']): Metric => ({ name, label, unit, perPage: false })
const metrics = [metric('total', 'Total', 'milliseconds'), metric('packetLoss', 'Packet loss', 'percentage')]
const checkType = { metrics, duration: 'total' }

test('the exceeded limit of the definition is the reason why a run is degraded', () => {
  expect(whyDegraded({ degradedResponseTime: 800 }, checkType, { total: 1200 })).toBe('Total: 1.2 s, more than 800 ms')
  expect(whyDegraded({ degradedPacketLoss: 10 }, checkType, { packetLoss: 25 })).toBe('Packet loss: 25 %, more than 10 %')
})

test('without such a limit, or within all of them, there is no reason', () => {
  expect(whyDegraded({ maxResponseTime: 800 }, checkType, { total: 1200 })).toBeNull()
  expect(whyDegraded({ degradedResponseTime: 800 }, checkType, { total: 700 })).toBeNull()
  expect(whyDegraded({ degradedResponseTime: 800 }, checkType, { total: null })).toBeNull()
})

const from = '2026-11-14T10:00:00.000Z'
const interval = (start: string, to: string, state: 'up' | 'degraded' | 'maintenance') => ({ from: start, to, state })
const [ten, eleven, noon] = [from, '2026-11-14T11:00:00.000Z', '2026-11-14T12:00:00.000Z']

test('a check is degraded since its current state began, or since before the start of the data', () => {
  expect(degradedSince({ from, intervals: [interval(ten, eleven, 'up'), interval(eleven, noon, 'degraded')] })).toEqual({
    at: Date.parse(eleven),
    orEarlier: false,
  })
  expect(degradedSince({ from, intervals: [interval(ten, noon, 'degraded')] })).toEqual({ at: Date.parse(ten), orEarlier: true })
})

test('the start is unknown in maintenance, or without any state', () => {
  expect(degradedSince({ from, intervals: [interval(ten, noon, 'maintenance')] })).toBeNull()
  expect(degradedSince({ from, intervals: [] })).toBeNull()
})
