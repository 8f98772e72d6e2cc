import { expect, test } from 'vitest'
import { check, otherCheck, span } from '../../../../test/support/arbitrary-results.ts'
import { calm } from '../../../../test/support/results.ts'
import { arrivalAt } from './arrival.ts'
import { encodeArrivals } from './encode-rows.ts'

const filed = (id: string, startedAt: number, runLocation = 'eu', of = check) => ({
  check: of,
  result: { ...calm, id, startedAt, runLocation, values: {}, pages: [] },
})

test('only the last result of each check, location and kind in a commit is a candidate for the newest', () => {
  const many = Array.from({ length: 1000 }, (_, i) => filed(`run-${i}`, span.from + i))
  const others = [filed('last-us', span.from, 'us'), filed('last-other', span.from, 'eu', otherCheck), filed('ahead', span.to + 3_600_000)]
  const { rows } = encodeArrivals([...many.toReversed(), ...others], arrivalAt(span.to), span.to)
  const ids = [
    ...new Set(
      Buffer.from(rows)
        .toString()
        .match(/"id":"[^"]*"/g),
    ),
  ]
  expect(ids).toEqual(['"id":"run-999"', '"id":"last-us"', '"id":"last-other"', '"id":"ahead"'])
})
