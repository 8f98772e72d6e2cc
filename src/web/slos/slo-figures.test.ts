import { expect, test } from 'vitest'
import type { Slo } from '../api/answers.ts'
import { budgetLeftText, budgetText, burnDown, burnText, checksText, markOf, objectiveText, shareLeft } from './slo-figures.ts'

const runs = (left: number, total = 100) => ({ unit: 'runs' as const, left, total, used: total - left })
const time = (left: number) => ({ unit: 'seconds' as const, left, total: 3600, used: 3600 - left })

test('runs are integers, and an exceeded budget is named as such', () => {
  expect(budgetLeftText({ budget: runs(7.5) })).toBe('7 runs left')
  expect(budgetLeftText({ budget: runs(1.2) })).toBe('1 run left')
  expect(budgetLeftText({ budget: runs(-7715.3) })).toBe('over budget by 7,716 runs')
  expect(budgetText(7.9, runs(0))).toBe('7 runs')
})

test('a budget of time is shown as a duration', () => {
  expect(budgetLeftText({ budget: time(90) })).toBe('1.5 min left')
  expect(budgetLeftText({ budget: time(-7200) })).toBe('over budget by 2 h')
})

test('a burn rate is a multiple of the allowed rate', () => {
  expect([210.208, 2.345, 0, null].map(burnText)).toEqual(['210×', '2.3×', '0×', '–'])
})

test('the remaining budget is a line over the days, from all of it down to what exceeds it', () => {
  const drawn = (budget: object, left: readonly number[]) => {
    const days = left.map((budgetLeft, index) => ({ day: `2026-11-0${index + 1}`, budgetLeft }))
    return burnDown({ budget, days, from: '2026-11-01T00:00:00Z' } as unknown as Slo)
  }
  const runs = drawn({ unit: 'runs', total: 100 }, [80, -100])
  expect([runs.unit, runs.lines.map(({ label, values }) => [label, values])]).toEqual([
    'count',
    [
      ['used up', [0, 0]],
      ['budget left', [80, -100]],
    ],
  ])
  expect([runs.scale, runs.times.length, runs.ends[0], runs.to]).toEqual([[-112, 112], 2, runs.times[1], runs.ends[1]])
  expect(drawn({ unit: 'seconds', total: 10 }, [5])).toMatchObject({
    unit: 'milliseconds',
    scale: [0, 10_600],
    lines: [{}, { values: [5000] }],
  })
  expect(drawn({ unit: 'runs', total: 0 }, [0]).scale).toEqual([0, 0.06])
})

const slo = (more: object) => more as unknown as Slo

test.each([
  [null, {}, 'unknown', 'no data'],
  [false, {}, 'failing', 'missed'],
  [true, {}, 'passing', 'met'],
  [true, { '1h': 1, '6h': 2 }, 'passing', 'met'],
  [true, { '1h': 2, '6h': 1 }, 'passing', 'met'],
  [true, { '1h': 1.1, '6h': null }, 'passing', 'met'],
  [true, { '1h': 1.1, '6h': 1.1 }, 'degraded', 'burning'],
])('an objective that is met (%s) and burns at %o is marked as %s: %s', (met, burnRate, state, word) => {
  expect(markOf(slo({ met, burnRate }))).toEqual({ state, word })
})

test('the remaining share of a budget is between 0 and 1', () => {
  const share = (left: number, total: number) => shareLeft(slo({ budget: { left, total } }))
  expect([share(25, 100), share(-1, 100), share(101, 100), share(0, 0)]).toEqual([0.25, 0, 1, null])
})

test('an objective is described with its window', () => {
  const rolling = { kind: 'rolling', duration: '30d' }
  const text = (objective: object, window: object = rolling) => objectiveText(slo({ objective, window }))
  expect(text({ kind: 'availability', by: 'runs' })).toBe('availability by runs · last 30d')
  expect(text({ kind: 'latency', metric: 'responseTime', thresholdMs: 500 })).toBe('responseTime up to 500 ms · last 30d')
  expect(text({ kind: 'availability', by: 'time' }, { kind: 'calendar', unit: 'month', timezone: 'UTC' })).toBe(
    'availability by time · this month, UTC',
  )
})

test('the checks of an objective are counted', () => {
  expect([checksText(slo({ checks: ['a'] })), checksText(slo({ checks: ['a', 'b'] }))]).toEqual(['1 check', '2 checks'])
})

test('the remaining budget before the first day is drawn from the start of the window', () => {
  const empty = burnDown(slo({ budget: { unit: 'runs', total: 5 }, days: [], from: '2026-11-01T00:00:00Z' }))
  expect([empty.from, empty.times, empty.to > empty.from]).toEqual([Date.parse('2026-11-01T00:00:00Z'), [], true])
})

test('large burn rates have no decimals', () => {
  expect([9.94, 10.4, undefined].map(burnText)).toEqual(['9.9×', '10×', '–'])
})
