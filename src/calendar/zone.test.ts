import { describe, expect, test } from 'vitest'
import { findZone, nearestZones, utc } from './zone.ts'

describe('a zone', () => {
  test.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['europe/berlin', 'Europe/Berlin'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['Asia/Calcutta', 'Asia/Calcutta'],
    ['america/argentina/buenos_aires', 'America/Argentina/Buenos_Aires'],
    ['utc', 'UTC'],
    ['Etc/UTC', 'UTC'],
    ['Zulu', 'UTC'],
    ['Etc/GMT', 'Etc/GMT'],
  ])('%s is found as %s', (name, known) => {
    expect(findZone(name)).toEqual({ name: known })
  })
  test.each(['', 'Europe/Berln', '+02:00', 'Z', '2026-01-01[Europe/Berlin]', 'Europe/Berlin ', 'Europe//Berlin', '../etc/passwd'])(
    '%j is not found',
    (name) => {
      expect(findZone(name)).toBeUndefined()
    },
  )
  test('UTC is found', () => {
    expect(findZone('UTC')).toBe(utc)
  })
})

describe('the nearest zones', () => {
  test.each([
    ['Europe/Berln', 'Europe/Berlin'],
    ['Asia/Kolkatta', 'Asia/Kolkata'],
    ['Atlantic/Faro', 'Atlantic/Faroe'],
    ['America/Nuk', 'America/Nuuk'],
    ['Berlin', 'Europe/Berlin'],
    ['new york', 'America/New_York'],
    ['utcc', 'UTC'],
  ])('of %s begin with %s', (name, best) => {
    expect(nearestZones(name)[0]).toBe(best)
    expect(nearestZones(name)).toHaveLength(3)
  })
  test('are valid zones', () => {
    for (const name of nearestZones('Berlin')) expect(findZone(name)).toEqual({ name })
  })
})
