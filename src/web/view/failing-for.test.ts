import { expect, test } from 'vitest'
import { hourMs, minuteMs } from '../../time.ts'
import { reasonLine, troubleText } from './failing-for.tsx'

const now = Date.UTC(2026, 10, 14, 10)
const at = (instant: number) => new Date(instant).toISOString()

test('a failing check shows for how long and why', () => {
  const failing = { state: 'failing', failingSince: at(now - 3 * hourMs), reason: 'status 503' } as const
  expect(troubleText(failing, now)).toBe('for 3 h · status 503')
  expect(troubleText({ ...failing, failingSince: null }, now)).toBe('status 503')
  expect(troubleText({ ...failing, reason: null }, now)).toBe('for 3 h')
})

test('an unknown one shows since when it has no run, and a passing one nothing', () => {
  expect(troubleText({ state: 'unknown', lastCheckRunId: null, updated_at: at(now) }, now)).toBe('no run yet')
  expect(troubleText({ state: 'unknown', lastCheckRunId: 'x', updated_at: at(now - 5 * minuteMs) }, now)).toBe('no run for 5 min')
  expect(troubleText({ state: 'passing' }, now)).toBe('')
  expect(troubleText(undefined, now)).toBe('')
})

test('a long error is truncated', () => {
  expect(reasonLine('refused\nat line 3')).toBe('refused')
  expect(reasonLine('x'.repeat(5000))).toHaveLength(201)
  expect(reasonLine(null)).toBe('')
})
