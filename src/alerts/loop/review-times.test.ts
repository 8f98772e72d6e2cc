import { expect, test } from 'vitest'
import { createReviewTimes } from './review-times.ts'

const minute = 60_000

test('an account is current for two minutes after the start and after each decision', () => {
  const clock = { now: 60 * minute }
  const times = createReviewTimes(() => clock.now)
  clock.now += 2 * minute - 1
  expect(times.isCurrent('acme')).toBe(true)
  times.note('acme')
  clock.now += 1
  expect([times.isCurrent('acme'), times.isCurrent('other')]).toEqual([true, false])
})

test('an account whose decisions stop is noticed two minutes after the clock was set back', () => {
  const clock = { now: 60 * minute }
  const times = createReviewTimes(() => clock.now)
  times.note('acme')
  clock.now -= 30 * minute
  expect(times.isCurrent('acme')).toBe(true)
  clock.now += 2 * minute
  expect(times.isCurrent('acme')).toBe(false)
})
