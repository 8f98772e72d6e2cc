import { expect, test } from 'vitest'
import { calm } from '../../../test/support/results.ts'
import { dayMs } from '../../time.ts'
import { memoryPart } from '../query/parts/memory-part.ts'
import { groupFailures } from './group.ts'

const check = { account: 'acme', checkId: 'shop' }

/** Days with one failing result each; `read` is called when a day is read. */
function failingDays(errors: readonly string[], read: (day: number) => void = () => {}) {
  return errors.map((error, day) => {
    const result = { ...calm, id: `r${day}`, startedAt: day * dayMs, runLocation: day % 2 ? 'us' : 'eu', values: {}, pages: [] }
    const part = memoryPart([{ ...result, hasFailures: true, error }])
    return {
      count: () => 1,
      part: () => {
        read(day)
        return part
      },
    }
  })
}
const grouped = (errors: readonly string[], locations: readonly string[] | null = null) =>
  groupFailures([{ check, days: failingDays(errors) }], { locations, maxCharacters: 100, checkpoint: () => {} })

test('failures of several days are one group, with the newest as its example', () => {
  const example = { check, resultId: 'r2', startedAt: 2 * dayMs, error: 'status 502' }
  expect(grouped(['status 503', 'refused', 'status 502'])).toEqual({
    groups: [
      { reason: 'status #', count: 2, firstAt: 0, lastAt: 2 * dayMs, locations: ['eu'], checkIds: ['shop'], example },
      expect.objectContaining({ reason: 'refused', count: 1, locations: ['us'] }),
    ],
  })
  expect(grouped(['status 503', 'refused'], ['us'])).toMatchObject({ groups: [{ reason: 'refused' }] })
})

test('errors that are too long in total are counted, not grouped', () => {
  expect(grouped(['a'.repeat(50), 'b'.repeat(50)])).toHaveProperty('groups')
  expect(grouped(['a'.repeat(50), 'b'.repeat(51)])).toEqual({ characters: 101 })
})

test('an aborted query ends between two days', () => {
  let read = 0
  const days = failingDays(['a', 'b', 'c', 'd'], (day) => {
    read = day
  })
  const checkpoint = () => {
    if (read === 2) throw new Error('cancelled')
  }
  expect(() => groupFailures([{ check, days }], { locations: null, maxCharacters: 100, checkpoint })).toThrow('cancelled')
  expect(read).toBe(2)
})
