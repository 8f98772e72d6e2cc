import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { firstSlot, isMissed, locationsIn, nextSlot, scheduleOf, slotAfter } from './schedule.ts'

const everyMs = fc.integer({ min: 10_000, max: 30 * 86_400_000 })
const time = fc.double({ min: 0, max: 4e12, noNaN: true })
const id = fc.string({ minLength: 1 })
const rhythm = fc.record({ account: id, id, everyMs }).map(scheduleOf)

describe('a slot', () => {
  test('is after the given time, and within one period', () => {
    fc.assert(
      fc.property(rhythm, time, (rhythm, time) => {
        const { at } = slotAfter(rhythm, time)
        expect(at).toBeGreaterThan(time)
        expect(at - time).toBeLessThanOrEqual(rhythm.everyMs)
      }),
    )
  })

  test('is followed by the next one exactly one period later', () => {
    fc.assert(
      fc.property(rhythm, time, (rhythm, time) => {
        const slot = slotAfter(rhythm, time)
        expect(slotAfter(rhythm, slot.at)).toEqual({ index: slot.index + 1, at: slot.at + rhythm.everyMs })
      }),
    )
  })

  test('is the same in every process, whenever that was started', () => {
    fc.assert(
      fc.property(rhythm, time, fc.double({ min: 0, max: 1, noNaN: true }), (rhythm, time, share) => {
        const slot = slotAfter(rhythm, time)
        const asked = time + (slot.at - time) * share
        fc.pre(asked < slot.at)
        expect(slotAfter(rhythm, asked)).toEqual(slot)
      }),
    )
  })

  test('is missed after half its period', () => {
    expect(isMissed({ everyMs: 10_000, offsetMs: 0 }, { index: 1, at: 10_000 }, 15_000)).toBe(false)
    expect(isMissed({ everyMs: 10_000, offsetMs: 0 }, { index: 1, at: 10_000 }, 15_001)).toBe(true)
  })
})

describe('the offset', () => {
  test('lies within the period', () => {
    fc.assert(
      fc.property(rhythm, ({ everyMs, offsetMs }) => {
        expect(offsetMs).toBeGreaterThanOrEqual(0)
        expect(offsetMs).toBeLessThan(everyMs)
      }),
    )
  })

  test('spreads many checks evenly over their period', () => {
    const tenths = new Array<number>(10).fill(0)
    for (let index = 0; index < 10_000; index++) {
      const { offsetMs } = scheduleOf({ account: 'acme', id: `check-${index}`, everyMs: 60_000 })
      const tenth = Math.floor(offsetMs / 6000)
      tenths[tenth] = (tenths[tenth] ?? 0) + 1
    }
    for (const checks of tenths) expect(Math.abs(checks - 1000)).toBeLessThan(150)
  })

  test('differs between accounts that have a check of the same id', () => {
    const [one, other] = ['acme', 'umbrella'].map((account) => scheduleOf({ account, id: 'homepage', everyMs: 3_600_000 }).offsetMs)
    expect(one).not.toBe(other)
  })
})

describe('the first run of a check without results', () => {
  test('is within ten seconds, however long the period', () => {
    fc.assert(
      fc.property(rhythm, time, (rhythm, time) => {
        const { at } = firstSlot(rhythm, time)
        expect(at).toBeGreaterThanOrEqual(time)
        expect(at - time).toBeLessThanOrEqual(10_000)
      }),
    )
  })

  test('is in its slot if that is as soon', () => {
    const rhythm = { everyMs: 10_000, offsetMs: 4000 }
    expect(firstSlot(rhythm, 1_000_000)).toEqual(slotAfter(rhythm, 1_000_000))
    const hourly = { everyMs: 3_600_000, offsetMs: 10_000 }
    expect(firstSlot(hourly, 3_600_000)).toEqual({ index: 1, at: 3_610_000 })
  })

  test('is else as far into ten seconds as its slot is into the period, and takes the turn before that slot', () => {
    const rhythm = { everyMs: 100_000, offsetMs: 40_000 }
    expect(slotAfter(rhythm, 1_000_000)).toEqual({ index: 10, at: 1_040_000 })
    expect(firstSlot(rhythm, 1_000_000)).toEqual({ index: 9, at: 1_004_000 })
  })
})

describe('the locations of a slot', () => {
  const locations = fc.uniqueArray(id, { minLength: 1, maxLength: 6 })

  test('are all of them for a check that runs in parallel', () => {
    fc.assert(
      fc.property(locations, fc.nat(), (locations, index) => {
        expect(locationsIn({ locations, runParallel: true }, { index, at: 0 })).toEqual(locations)
      }),
    )
  })

  test('are used round-robin, each once per cycle', () => {
    fc.assert(
      fc.property(locations, fc.integer(), (locations, index) => {
        const turns = locations.map((_, step) => locationsIn({ locations, runParallel: false }, { index: index + step, at: 0 }))
        expect(turns.map((turn) => turn.length)).toEqual(locations.map(() => 1))
        expect(turns.flat().sort()).toEqual([...locations].sort())
      }),
    )
  })
})

test('the last slot is still run where it is owed and not too late, else the next one', () => {
  const schedule = { everyMs: 60_000, offsetMs: 0 }
  const at = (time: number, takeoverFrom: number | null) => nextSlot(schedule, time, takeoverFrom).at
  expect(at(620_000, 590_000)).toBe(600_000)
  expect(at(620_000, 600_000)).toBe(600_000)
  expect(at(620_000, 600_001)).toBe(660_000)
  expect(at(630_001, 590_000)).toBe(660_000)
  expect(at(620_000, null)).toBe(660_000)
})
