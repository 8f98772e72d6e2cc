import { describe, expect, test } from 'vitest'
import { chooseWindow, quickRanges } from '../../analytics/window.ts'
import { endsOf, isPreset, presets, windowChanges, windowOf } from './window.ts'

const instants = {
  'a plain afternoon': '2026-11-14T15:04:05.678Z',
  'the first millisecond of a Monday': '2026-11-16T00:00:00.000Z',
  'the last millisecond of a Sunday': '2026-11-15T23:59:59.999Z',
  'the first of January': '2027-01-01T00:00:00.000Z',
  'a leap day': '2028-02-29T12:00:00.000Z',
  'the last millisecond of a month': '2026-10-31T23:59:59.999Z',
}

test('the page knows every preset of the API', () => {
  expect(Object.keys(presets).sort()).toEqual([...quickRanges].sort())
})

describe.each(Object.entries(instants))('at %s', (_, instant) => {
  test.each(quickRanges)('%s has the ends that the API gives it', (preset) => {
    const now = Date.parse(instant)
    const ends = isPreset(preset) ? endsOf({ preset }, now) : null
    expect(ends).toEqual(chooseWindow({ quickRange: preset, from: null, to: null }, now))
  })
})

test('a window is read back from the address that it makes', () => {
  const window = { from: Date.parse('2026-11-01T10:00:00.000Z'), to: Date.parse('2026-11-02T10:00:00.123Z') }
  const said = Object.entries(windowChanges(window)).filter((pair): pair is [string, string] => pair[1] !== null)
  expect(windowOf({ query: new URLSearchParams(said) })).toEqual(window)
})

test('an address that says nothing sensible looks at the last 24 hours', () => {
  expect(windowOf({ query: new URLSearchParams('quickRange=toString&from=x&to=y') })).toEqual({ preset: 'last24Hours' })
})
