import { afterEach, expect, test } from 'vitest'
import { showZone } from '../state/zone.ts'
import { dayHourStarts, hoursOfDay } from './day.ts'

const at = (text: string) => Date.parse(text)
const iso = (instant: number | undefined) => new Date(instant ?? 0).toISOString()

afterEach(() => showZone(null))

test('hours are those of the reader, also with an offset of half an hour', () => {
  showZone('Asia/Kolkata')
  const starts = dayHourStarts(at('2026-11-14T10:40:00Z'))
  expect([starts.length, iso(starts[0]), iso(starts.at(-1))]).toEqual([24, '2026-11-13T11:30:00.000Z', '2026-11-14T10:30:00.000Z'])
  showZone('UTC')
  expect(iso(dayHourStarts(at('2026-11-14T10:40:00Z')).at(-1))).toBe('2026-11-14T10:00:00.000Z')
})

test('a day of 24 and a half hours ends with half an hour', () => {
  showZone('Australia/Lord_Howe')
  const starts = dayHourStarts(at('2026-04-05T14:00:00Z')).map(iso)
  expect(starts.slice(-3)).toEqual(['2026-04-05T12:00:00.000Z', '2026-04-05T13:00:00.000Z', '2026-04-05T13:30:00.000Z'])
})

test('each hour has the row that starts with it, whatever the notation of its start', () => {
  showZone('Asia/Kolkata')
  const row = { period: '2026-11-14T16:00:00.000+05:30', total: 3, success: 2, availability: 66 }
  const hours = hoursOfDay([row], at('2026-11-14T10:40:00Z'))
  expect([hours.at(-1), hours.at(-2)]).toEqual([row, undefined])
})
