import { expect, test } from 'vitest'
import type { SloStatus } from '../../analytics/slo/status.ts'
import { sloTable } from './slo-format.ts'
import { withUnit } from './units.ts'

const slo = (more: Partial<SloStatus> = {}): SloStatus => ({
  id: 'shop',
  name: 'The shop',
  checks: [],
  objective: { kind: 'availability', by: 'runs', target: 99.5 },
  window: { kind: 'rolling', duration: '30d' },
  from: '',
  to: '',
  attained: 99.9,
  met: true,
  budget: { unit: 'runs', total: 100, used: 25, left: 75 },
  burnRate: { '1h': 0.5, '6h': null, '24h': 1.234, '3d': 0 },
  exhaustedAt: null,
  days: [100, 50, 0].map((budgetLeft, index) => ({ day: `${index}`, attained: null, budgetLeft })),
  ...more,
})
const cells = (more: Partial<SloStatus>) =>
  sloTable([slo(more)])
    .trimEnd()
    .split('\n')[1]
    ?.split(/ {2,}/)

test('an account without SLOs gets a hint where they belong', () => {
  expect(sloTable([])).toBe('The account has no SLOs. Add them under slos: in the config file.\n')
})

test('each SLO has a line with right-aligned figures', () => {
  expect(sloTable([slo(), slo({ id: 'x', met: false })])).toBe(
    [
      'id    name      attained  target  status     budget left    1h  6h   24h    3d  budget by day',
      'shop  The shop    99.9 %  99.5 %  met     75 of 100 runs  0.50   –  1.23  0.00  █▅▁',
      'x     The shop    99.9 %  99.5 %  missed  75 of 100 runs  0.50   –  1.23  0.00  █▅▁',
      '',
    ].join('\n'),
  )
})

test.each([
  [{ met: null }, 4, 'no data'],
  [{ met: false }, 4, 'missed'],
  [{ budget: { unit: 'seconds', total: 100, used: 90, left: 9.87654 } }, 5, '9.877 of 100 s'],
  [{ budget: { unit: 'seconds', total: 100, used: 112.5, left: -12.34 } }, 5, '-12.3 of 100 s'],
  [{ budget: { unit: 'runs', total: 0, used: 0, left: 0 } }, 10, undefined],
] as const)('%j', (more, column, text) => {
  expect(cells(more)?.[column]).toBe(text)
})

test('the last 31 days are shown', () => {
  const days = Array.from({ length: 40 }, (_, day) => ({ day: `${day}`, attained: null, budgetLeft: day < 9 ? 0 : 100 }))
  expect(cells({ days })?.[10]).toBe('█'.repeat(31))
})

test('numbers have their units', () => {
  expect(withUnit(9.9999, 'milliseconds')).toBe('10 ms')
  expect(withUnit(9.8764, 'percentage')).toBe('9.876 %')
  expect([withUnit(10.06, 'score'), withUnit(1234, 'count')]).toEqual(['10.1', '1,234'])
})
