import fc from 'fast-check'
import { expect, test } from 'vitest'
import { crossRuns, eachRow } from './runs.ts'
import { timeRuns } from './time-runs.ts'

const ascending = fc.array(fc.nat(2000), { maxLength: 200 }).map((times) => times.sort((a, b) => a - b))
const width = fc.integer({ min: 1, max: 500 })

test('every row is in the run of the value that its time has, and neighbouring runs of a bucket are one', () => {
  fc.assert(
    fc.property(ascending, width, (times, widthMs) => {
      const runs = runsOf(times, widthMs)
      expect(Array.from(eachRow(runs), (index) => runs.values[index])).toEqual(times.map((time) => Math.floor(time / widthMs)))
      expect(runs.values.length).toBe(runs.ends.length)
    }),
  )
})

test('crossed runs give each row the pair of its two indexes', () => {
  fc.assert(
    fc.property(ascending, width, width, (times, widthA, widthB) => {
      const [a, b] = [runsOf(times, widthA), runsOf(times, widthB)]
      const crossed = crossRuns(a, b, (i, j) => 1000 * i + j)
      const rowsOfB = eachRow(b)
      expect([...eachRow(crossed)]).toEqual(Array.from(eachRow(a), (index, row) => 1000 * index + (rowsOfB[row] as number)))
    }),
  )
})

function runsOf(times: readonly number[], widthMs: number) {
  return timeRuns({ count: times.length, at: (row) => times[row] as number }, (time) => {
    const value = Math.floor(time / widthMs)
    return { value, until: (value + 1) * widthMs }
  })
}
