import { describe, expect, test } from 'vitest'
import { findZone } from '../../calendar/zone.ts'
import { sheetWindow } from './period.ts'

const now = Date.parse('2026-11-15T12:34:56.789Z')
const berlin = findZone('Europe/Berlin')
if (!berlin) throw new Error('there is no such zone')

describe('the window of a sheet', () => {
  test('is a month in the zone, with 745 hours if clocks go back', () => {
    expect(sheetWindow({ month: '2026-10', timezone: berlin }, now)).toEqual({
      from: '2026-09-30T22:00:00.000Z',
      to: '2026-10-31T22:59:59.999Z',
      timezone: 'Europe/Berlin',
      month: '2026-10',
      partial: false,
    })
  })

  test('is in UTC by default, and dates are whole days', () => {
    const window = sheetWindow({ from: { date: '2026-10-01' }, to: { date: '2026-10-07' } }, now)
    expect(window).toMatchObject({ from: '2026-10-01T00:00:00.000Z', to: '2026-10-07T23:59:59.999Z', timezone: 'UTC', month: null })
  })

  test('ends with the last complete minute while it lasts', () => {
    expect(sheetWindow({ month: '2026-11' }, now)).toMatchObject({ to: '2026-11-15T12:33:59.999Z', partial: true })
  })

  test.each([
    [{ month: '2026-13' }, '2026-13 is not a month'],
    [{ month: 'october' }, 'october is not a month'],
    [{ month: '2026-12' }, 'starts in the future'],
    [{ month: '2026-10', from: 0 }, 'Use either'],
    [{ from: 0 }, 'A window is required'],
    [{ from: 2, to: 1 }, 'ends before it starts'],
  ])('is rejected as %j with a message', (options, words) => {
    expect(() => sheetWindow(options, now)).toThrow(words)
  })
})
