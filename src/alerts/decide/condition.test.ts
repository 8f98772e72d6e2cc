import { expect, test } from 'vitest'
import type { Slo } from '../../catalogue/policies/policies.ts'
import type { CheckFacts } from '../facts/check-facts.ts'
import type { StateFacts } from '../facts/state-facts.ts'
import { isReached, neutral, type Reading, reachedAt, readBurn, readCertificate, readDegraded, readFailing } from './condition.ts'
import type { MeasuredBurn } from './input.ts'

const rule = { quorum: 1 }
const facts = (more: Partial<StateFacts> | null, certificateDays: number | null = null) => {
  const state: StateFacts = { state: 'up', since: 5, isCertain: true, runs: 2, notDownSince: 3, notDownRuns: 4, ...more }
  return { states: new Map(more === null ? [] : [[1, state]]), certificateDays } as unknown as CheckFacts
}
const holds: Reading = { status: 'holds', since: 5, runs: 2 }

test.each<[Partial<StateFacts> | null, Reading, Reading]>([
  [null, neutral, neutral],
  [{ state: 'down', notDownSince: null }, holds, neutral],
  [{ state: 'degraded' }, { status: 'clear', since: 3, runs: 4 }, holds],
  [{ state: 'up' }, { status: 'clear', since: 3, runs: 4 }, { status: 'clear', since: 5, runs: 2 }],
  [{ state: 'unknown', notDownSince: null }, neutral, neutral],
])('failing and degraded in the state %j', (state, failing, degraded) => {
  expect(readFailing(facts(state), rule)).toEqual(failing)
  expect(readDegraded(facts(state), rule)).toEqual(degraded)
})

test.each([
  [null, 'neutral'],
  [13, 'holds'],
  [14, 'holds'],
  [15, 'clear'],
])('a certificate with %s days left, with a threshold of 14', (days, status) => {
  const reading = readCertificate(facts({}, days), 14, 77)
  expect(reading.status).toBe(status)
  if (days !== null) expect(reading).toMatchObject({ since: 77, runs: Number.POSITIVE_INFINITY })
})

const pairs = [
  { factor: 10, longMs: 2, shortMs: 1 },
  { factor: 2, longMs: 4, shortMs: 3 },
]
const slow = { long: 0, short: 0, badRuns: 0 }

test.each([
  [[null, null], 'neutral'],
  [[slow, slow], 'clear'],
  [[slow, null], 'clear'],
  [[slow, 'unmeasured'], 'neutral'],
  [['unmeasured', { long: 2, short: 2, badRuns: 3 }], 'holds'],
  [[{ long: 10, short: 10, badRuns: 3 }, slow], 'holds'],
  [[{ long: 9.9, short: 10, badRuns: 3 }, slow], 'neutral'],
  [[{ long: 10, short: 9.9, badRuns: 3 }, slow], 'clear'],
  [[{ long: 10, short: 10, badRuns: 2 }, slow], 'neutral'],
  [[slow, { long: 2, short: 2, badRuns: 3 }], 'holds'],
  [[null, { long: 2, short: 2, badRuns: 3 }], 'holds'],
] satisfies [MeasuredBurn[], string][])('burn rates of %j', ([first = null, second = null], status) => {
  const burn = (_: Slo, { factor }: { readonly factor: number }) => (factor === 10 ? first : second)
  const reading = readBurn({ slo: {} as Slo, pairs, burn, now: 77 })
  expect(reading.status).toBe(status)
  if (status !== 'neutral') expect(reading).toMatchObject({ since: 77, runs: Number.POSITIVE_INFINITY })
})

test('a threshold is reached after a number of runs or a time', () => {
  expect([1, 2, 3].map((runs) => isReached({ runs: 2 }, { ...holds, runs }, 0))).toEqual([false, true, true])
  expect([14, 15, 16].map((now) => isReached({ timeMs: 10 }, holds, now))).toEqual([false, true, true])
  expect([reachedAt({ runs: 2 }, holds), reachedAt({ timeMs: 10 }, holds)]).toEqual([null, 15])
})
