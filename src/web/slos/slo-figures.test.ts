import { expect, test } from 'vitest'
import type { Slo } from '../api/answers.ts'
import { budgetLeftText, budgetText, burnDown, burnText } from './slo-figures.ts'

const runs = (left: number, total = 100) => ({ unit: 'runs' as const, left, total, used: total - left })
const time = (left: number) => ({ unit: 'seconds' as const, left, total: 3600, used: 3600 - left })

test('runs are whole, and what is over the budget is called that', () => {
  expect(budgetLeftText({ budget: runs(7.5) })).toBe('7 runs left')
  expect(budgetLeftText({ budget: runs(1.2) })).toBe('1 run left')
  expect(budgetLeftText({ budget: runs(-7715.3) })).toBe('over budget by 7,716 runs')
  expect(budgetText(7.9, runs(0))).toBe('7 runs')
})

test('a budget of time is told as time', () => {
  expect(budgetLeftText({ budget: time(90) })).toBe('1.5 min left')
  expect(budgetLeftText({ budget: time(-7200) })).toBe('over budget by 2 h')
})

test('a burn rate is a multiple of what is granted', () => {
  expect([210.208, 2.345, 0, null].map(burnText)).toEqual(['210×', '2.3×', '0×', '–'])
})

test('what is left of a budget is a line over the days, from the whole of it down to what was used beyond it', () => {
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
