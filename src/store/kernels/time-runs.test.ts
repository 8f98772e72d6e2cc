import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { crossRuns, eachRow } from './row-indexes.ts'
import { hourStarts, joinHours, timeRuns } from './time-runs.ts'

const ascending = fc.array(fc.nat(2000), { maxLength: 200 }).map((times) => times.sort((a, b) => a - b))
const width = fc.integer({ min: 1, max: 500 })

test('every row is in the run of its bucket, and adjacent runs of a bucket are merged', () => {
  fc.assert(
    fc.property(ascending, width, (times, widthMs) => {
      const runs = runsOf(times, widthMs)
      expect(Array.from(eachRow(runs), (index) => runs.values[index])).toEqual(times.map((time) => Math.floor(time / widthMs)))
      expect(runs.values.length).toBe(runs.ends.length)
    }),
  )
})

test('crossed runs give each row the pair of its indexes', () => {
  fc.assert(
    fc.property(ascending, width, width, (times, widthA, widthB) => {
      const [a, b] = [runsOf(times, widthA), runsOf(times, widthB)]
      const crossed = crossRuns(a, b, (i, j) => 1000 * i + j)
      const rowsOfB = eachRow(b)
      expect([...eachRow(crossed)]).toEqual(Array.from(eachRow(a), (index, row) => 1000 * index + (rowsOfB[row] as number)))
    }),
  )
})

describe('if the hours of rows are known', () => {
  const hourMs = 3_600_000
  const days = fc.array(ascendingWithin(24 * hourMs), { minLength: 1, maxLength: 3 })
  const hoursWide = fc.integer({ min: 1, max: 40 })
  const unread = () => {
    throw new Error('a time was read')
  }

  test('runs of whole hours are found without reading times, also over several days', () => {
    fc.assert(
      fc.property(days, hoursWide, (days, hours) => {
        const { times, hourly } = joinDays(days)
        const runs = timeRuns({ count: times.length, at: unread, hours: () => hourly }, fixedWidth(hours * hourMs))
        expect(runs).toEqual(runsOf(times, hours * hourMs))
      }),
    )
  })

  test('runs that end within an hour are found by times', () => {
    fc.assert(
      fc.property(days, fc.integer({ min: 60_000, max: 3 * hourMs }), (days, widthMs) => {
        const { times, hourly } = joinDays(days)
        const runs = timeRuns({ ...timesOf(times), hours: () => hourly }, fixedWidth(widthMs))
        expect(runs).toEqual(runsOf(times, widthMs))
      }),
    )
  })

  test('a stretch that does not end after its time is an error instead of an endless loop', () => {
    const times = timesOf([hourMs, 2 * hourMs])
    const stuck = (time: number) => ({ value: 0, until: Math.min(time + hourMs, 2 * hourMs) })
    expect(() => timeRuns({ ...times, hours: () => hourStarts(times, 0, 24) }, stuck)).toThrow('is not after it')
    expect(() => timeRuns(times, stuck)).toThrow('is not after it')
  })

  test('repeated values share one index', () => {
    const times = [1, 5, 9, 13, 17, 21].map((hour) => hour * hourMs)
    const runs = timeRuns({ count: 6, at: unread, hours: () => hourStarts(timesOf(times), 0, 24) }, (time) => {
      const noon = Math.floor(time / (12 * hourMs))
      return { value: noon === 0 ? 7 : 1, until: (noon + 1) * 12 * hourMs }
    })
    expect(runs).toEqual({ ends: [3, 6], indexes: [0, 1], values: [7, 1] })
  })

  /** The times of days, one of which has a day without rows before it, and their hours. */
  function joinDays(days: readonly (readonly number[])[]) {
    const starts = days.map((_, i) => 24 * hourMs * (i < 2 ? i : i + 1))
    const times = days.flatMap((own, i) => own.map((time) => time + (starts[i] as number)))
    const hourly = days.map((own, i) => {
      const from = starts[i] as number
      return hourStarts(timesOf(own.map((time) => time + from)), from, 24)
    })
    return { times, hourly: joinHours(hourly) }
  }
})

function ascendingWithin(end: number) {
  return fc.array(fc.nat(end - 1), { maxLength: 60 }).map((times) => times.sort((a, b) => a - b))
}

const timesOf = (times: readonly number[]) => ({ count: times.length, at: (row: number) => times[row] as number })

const fixedWidth = (widthMs: number) => (time: number) => {
  const value = Math.floor(time / widthMs)
  return { value, until: (value + 1) * widthMs }
}

function runsOf(times: readonly number[], widthMs: number) {
  return timeRuns(timesOf(times), fixedWidth(widthMs))
}
