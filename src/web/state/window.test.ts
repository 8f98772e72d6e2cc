import { expect, test } from 'vitest'
import { windowChanges, windowOf } from './window.ts'

test('a window is read back from the address that it makes', () => {
  const window = { from: Date.parse('2026-11-01T10:00:00.000Z'), to: Date.parse('2026-11-02T10:00:00.123Z') }
  const said = Object.entries(windowChanges(window)).filter((pair): pair is [string, string] => pair[1] !== null)
  expect(windowOf({ query: new URLSearchParams(said) })).toEqual(window)
})

test('a URL without a valid window selects the last 24 hours', () => {
  expect(windowOf({ query: new URLSearchParams('quickRange=toString&from=x&to=y') })).toEqual({ preset: 'last24Hours' })
})
