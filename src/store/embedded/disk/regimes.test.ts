import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import type { Rhythm } from '../../../calendar/rhythm.ts'
import { openWriter } from '../write/writer.ts'
import { openForReading, openForWriting } from './database.ts'
import { inspect } from './inspect.ts'
import { openRegimes } from './regimes.ts'

const homepage = { account: 'acme', checkId: 'homepage' }
const shop = { account: 'acme', checkId: 'shop' }
const often: Rhythm = { periodMs: 60_000, locations: 2, parallel: true }
const seldom: Rhythm = { periodMs: 600_000, locations: 2, parallel: false }
const pinged: Rhythm = { periodMs: 3_600_000, graceMs: 600_000 }

test('the rhythm of a check is recorded only when it changes', () => {
  const directory = temporaryFolder()
  record(directory, [
    [100, often, pinged],
    [200, often, pinged],
    [300, seldom, pinged],
    [400, often, { ...pinged, graceMs: 0 }],
  ])
  expect(recorded(directory)).toEqual({
    homepage: [
      { from: 100, ...often },
      { from: 300, ...seldom },
      { from: 400, ...often },
    ],
    shop: [
      { from: 100, ...pinged },
      { from: 400, ...pinged, graceMs: 0 },
    ],
  })
})

test('the newest record stays the newest if the clock was set back', () => {
  const directory = temporaryFolder()
  record(directory, [
    [100, often, pinged],
    [50, seldom, pinged],
  ])
  expect(recorded(directory).homepage).toEqual([{ from: 100, ...seldom }])
})

test('a damaged record is detected', () => {
  const directory = temporaryFolder()
  record(directory, [[100, often, pinged]])
  const database = openForWriting(directory)
  database.exec(`UPDATE regime SET body = replace(body, '60000', '90000') WHERE series = 1`)
  database.close()
  expect(() => recorded(directory)).toThrow('The stored data at 1 regime 100  is damaged')
  expect(inspect(directory).problems).toEqual([expect.stringMatching(/^Check \S+ of \S+: the history of its run interval is damaged\.$/)])
})

function record(directory: string, steps: readonly (readonly [number, Rhythm, Rhythm])[]): void {
  const writer = openWriter(directory)
  for (const [now, ofHomepage, ofShop] of steps) {
    const definitions = [
      { ...homepage, fingerprint: String(now), rhythm: ofHomepage },
      { ...shop, fingerprint: 'same', rhythm: ofShop },
    ]
    writer.recordDefinitions(definitions, now)
  }
  writer.close()
}

function recorded(directory: string) {
  const database = openForReading(directory)
  try {
    const regimesOf = openRegimes(database)
    return { homepage: regimesOf(homepage), shop: regimesOf(shop) }
  } finally {
    database.close()
  }
}
