import { expect, test } from 'vitest'
import { budgetLeftText, budgetText, burnText } from './slo-figures.ts'

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
