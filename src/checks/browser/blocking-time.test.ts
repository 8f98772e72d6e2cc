import { expect, test } from 'vitest'
import { blockingTime } from './blocking-time.ts'

test('blocking time is what long tasks take beyond 50 ms', () => {
  const tasks = [
    { start: 200, duration: 120 },
    { start: 400, duration: 51 },
  ]
  expect(blockingTime(tasks, 100, 300)).toBe(71)
})

test('time before the first paint does not count', () => {
  expect(blockingTime([{ start: 0, duration: 300 }], 200, 300)).toBe(50)
  expect(blockingTime([{ start: 0, duration: 100 }], 200, 300)).toBe(0)
})

test('long tasks after five quiet seconds do not count as page load', () => {
  const tasks = [
    { start: 5000, duration: 150 },
    { start: 10_150, duration: 150 },
    { start: 15_301, duration: 1000 },
  ]
  expect(blockingTime(tasks, 100, 300)).toBe(200)
})

test('a page without long tasks has no blocking time', () => {
  expect(blockingTime([], 100, 0)).toBe(0)
})

test('a page is quiet five seconds after both first paint and load', () => {
  const late = (start: number) => [{ start, duration: 150 }]
  expect([blockingTime(late(5000), 0, 0), blockingTime(late(5001), 0, 0)]).toEqual([100, 0])
  expect([blockingTime(late(7000), 2000, 0), blockingTime(late(7000), 0, 2000), blockingTime(late(7001), 2000, 1000)]).toEqual([
    100, 100, 0,
  ])
})
