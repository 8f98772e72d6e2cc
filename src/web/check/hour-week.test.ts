import { expect, test } from 'vitest'
import { failedStep, heatStep, hourWeekOf, weekdayNames } from './hour-week.ts'

test('cells are arranged by weekday and hour, and hours without runs are empty', () => {
  const series = [{ dayOfWeek: 1, hourOfDay: 0, data: [{ total: 3, availability: 100, total_p95: 12 }] }]
  const week = hourWeekOf(series, 'total_p95')
  expect([week.length, week[0]?.length]).toEqual([7, 24])
  expect(week[0]?.[0]).toEqual({ total: 3, availability: 100, slow: 12 })
  expect(week.flat().filter((cell) => cell !== undefined)).toHaveLength(1)
})

test('the slowest hour has the strongest colour, the fastest the faintest, and equal hours the same', () => {
  expect([10, 29, 30, 110, null].map((value) => heatStep(value, [10, 110]))).toEqual([1, 1, 2, 5, 0])
  expect(heatStep(7, [7, 7])).toBe(1)
})

test('a single failure among thousands has another colour than none', () => {
  expect([100, 99.99, 99, 96, 80, 0, null].map(failedStep)).toEqual([1, 2, 2, 3, 4, 5, 0])
})

test('a week begins with Monday', () => {
  expect(weekdayNames).toEqual(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'])
  const series = [7, 2].map((dayOfWeek) => ({ dayOfWeek, hourOfDay: 23, data: [{ total: dayOfWeek, availability: null }] }))
  const week = hourWeekOf(series, 'total_p95')
  expect([week[6]?.[23], week[1]?.[23]]).toEqual([7, 2].map((total) => ({ total, availability: null, slow: null })))
})
