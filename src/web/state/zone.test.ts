import { afterEach, expect, test } from 'vitest'
import { readerZone, refusedZone, refuseZone, showZone } from './zone.ts'

const shownFor = (zone: string) => {
  showZone(zone)
  return [readerZone(), refusedZone()]
}

afterEach(() => showZone(null))

test('a zone that the server does not know is replaced with its offset, or UTC, and is remembered', () => {
  // Zones that no other test uses, because a refused zone stays refused in all files of the process.
  const [west, east, between] = ['America/Panama', 'Asia/Seoul', 'Asia/Colombo']
  expect(shownFor(west)).toEqual([west, null])
  for (const zone of [west, east, between]) refuseZone(zone)
  expect(shownFor(west)).toEqual(['Etc/GMT+5', west])
  expect(shownFor(east)).toEqual(['Etc/GMT-9', east])
  expect(shownFor(between)).toEqual(['UTC', between])
  refuseZone('Etc/GMT-9')
  expect(shownFor(east)).toEqual(['UTC', east])
  expect(shownFor('Europe/Berlin')).toEqual(['Europe/Berlin', null])
})
