import { expect, test } from 'vitest'
import { plain } from '../terminal/paint.ts'
import { resultLine } from './result-line.ts'

const result = {
  name: 'Homepage',
  startedAt: '2026-11-14T10:00:03.120Z',
  runLocation: 'eu-west-1',
  hasFailures: false,
  isDegraded: false,
  responseTime: 231.4,
  attempts: 1,
  error: null,
}

test('a line has time, state, check, location and duration', () => {
  expect(resultLine(result, plain)).toBe('2026-11-14T10:00:03Z  ✓ passing   Homepage  eu-west-1  231 ms')
  expect(resultLine({ ...result, isDegraded: true }, plain)).toContain('! degraded  Homepage')
})

test('a failed result has its error, without control characters', () => {
  const line = resultLine({ ...result, hasFailures: true, responseTime: null, attempts: 3, error: 'status\u001b[2J 503\nBad' }, plain)
  expect(line).toBe('2026-11-14T10:00:03Z  ✗ failing   Homepage  eu-west-1  3 attempts  status [2J 503 Bad')
})
