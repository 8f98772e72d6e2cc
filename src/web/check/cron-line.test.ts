import { expect, test } from 'vitest'
import { cronSchedule } from './cron-line.ts'

test.each([
  [0, '*/1 * * * *'],
  [10, '*/10 * * * *'],
  [25, '*/20 * * * *'],
  [60, '0 * * * *'],
  [300, '0 */4 * * *'],
  [360, '0 */6 * * *'],
  [1440, '0 3 * * *'],
  [43_200, '0 3 * * 1'],
])('every %d minutes is %s', (minutes, schedule) => {
  expect(cronSchedule(minutes)).toBe(schedule)
})
