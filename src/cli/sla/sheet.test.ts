import fc from 'fast-check'
import { expect, test } from 'vitest'
import { totalOf } from './sheet.ts'

const policy = { quorum: '1', degraded: 'up', maintenance: 'exclude', minOutageSeconds: 0, serviceHours: null }
const milliseconds = fc.integer({ min: 0, max: 2_678_400_000 })
const part = fc.record({ up: milliseconds, degraded: milliseconds, down: milliseconds, total: fc.nat(50_000), failed: fc.nat(50_000) })

test('the total pools runs and milliseconds exactly, instead of averaging percentages', () => {
  fc.assert(
    fc.property(fc.array(part), fc.constantFrom('up', 'down'), (parts, degraded) => {
      const checks = parts.map(({ up, degraded: slow, down, total, failed }) => ({
        byRuns: { total: total + failed, success: total, availability: null },
        byTime: { availability: null, ...secondsOf(up, slow, down) },
        outages: [],
      }))
      const sum = (pick: (one: (typeof parts)[number]) => number) => parts.reduce((all, one) => all + pick(one), 0)
      const [up, slow, down] = [sum((one) => one.up), sum((one) => one.degraded), sum((one) => one.down)]
      const { byRuns, byTime } = totalOf(checks, { ...policy, degraded })
      expect(byTime).toMatchObject(secondsOf(up, slow, down))
      const good = degraded === 'up' ? up + slow : up
      if (up + slow + down === 0) expect(byTime.availability).toBeNull()
      else expect(byTime.availability).toBeCloseTo((good / (up + slow + down)) * 100, 9)
      expect(byRuns).toMatchObject({ total: sum((one) => one.total + one.failed), success: sum((one) => one.total) })
    }),
  )
})

function secondsOf(up: number, degraded: number, down: number) {
  const seconds = { upSeconds: up / 1000, degradedSeconds: degraded / 1000, downSeconds: down / 1000 }
  return { ...seconds, maintenanceSeconds: 0, unknownSeconds: 0 }
}
