import { expect, test } from 'vitest'
import { dayMs, hourMs } from '../../time.ts'
import { endsOf, presets, windowChanges, windowOf, windowParameters } from './window.ts'

const readBack = (changes: Record<string, string | null>) => {
  const said = Object.entries(changes).filter((pair): pair is [string, string] => pair[1] !== null)
  return windowOf({ query: new URLSearchParams(said) })
}

test('a window is read back from the address that it makes', () => {
  const window = { from: Date.parse('2026-11-01T10:00:00.000Z'), to: Date.parse('2026-11-02T10:00:00.123Z') }
  expect(readBack(windowChanges(window))).toEqual(window)
  for (const preset of Object.keys(presets) as (keyof typeof presets)[]) expect(readBack(windowChanges({ preset }))).toEqual({ preset })
})

test('a URL without a valid window selects the last 24 hours', () => {
  expect(windowOf({ query: new URLSearchParams('quickRange=toString&from=x&to=y') })).toEqual({ preset: 'last24Hours' })
})

test('a rolling window without a name in the API ends now', () => {
  const now = Date.parse('2026-11-14T10:00:00Z')
  expect(endsOf({ preset: 'last1Hour' }, now)).toEqual({ from: now - hourMs, to: now })
  expect(endsOf({ preset: 'last6Hours' }, now)).toEqual({ from: now - 6 * hourMs, to: now })
  expect(endsOf({ preset: 'last90Days' }, now)).toEqual({ from: now - 90 * dayMs, to: now })
})

test('the API is asked for a window by name where it has one, and else for the two ends', () => {
  expect(windowParameters({ preset: 'lastWeek' })).toEqual([['quickRange', 'lastWeek']])
  expect(windowParameters({ preset: 'last1Hour' }).map(([name]) => name)).toEqual(['from', 'to'])
})
