import { expect, test } from 'vitest'
import { daysOf, firstDay } from './days.ts'

const now = new Date(2026, 10, 14, 10, 30).getTime()

test('ninety days end with today, without gaps', () => {
  const days = daysOf([], now)
  expect(days).toHaveLength(90)
  expect(days[0]?.from).toBe(firstDay(now))
  expect(days.at(-1)?.from).toBe(new Date(2026, 10, 14).getTime())
  expect(days.slice(1).map(({ from }) => from - 1)).toEqual(days.slice(0, -1).map(({ to }) => to))
})

test('a day has the figures of the row that starts with it, or zeros', () => {
  const period = new Date(2026, 10, 13).toISOString()
  const days = daysOf([{ period, total: 10, success: 7 }], now)
  expect(days.at(-2)).toMatchObject({ total: 10, success: 7 })
  expect(days.at(-1)).toMatchObject({ total: 0, success: 0 })
})
