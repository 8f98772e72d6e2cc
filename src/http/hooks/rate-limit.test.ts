import { expect, test } from 'vitest'
import { openTestApp } from '../../../test/support/app.ts'
import { service, testCatalogue } from '../../../test/support/catalogue.ts'

test('a window begins with a request, ends after its time or if the clock is set back, and the next one counts from zero', async () => {
  let now = Date.UTC(2026, 0, 1)
  const rateLimit = { requests: 2, perMs: 60_000 }
  const api = await openTestApp({ now: () => now, catalogue: testCatalogue({ service: () => ({ ...service, rateLimit }) }) })
  const answer = async (afterMs: number) => {
    now += afterMs
    const { status, headers } = await api.get('/v1/checks')
    return [status, headers['ratelimit-remaining'], headers['ratelimit-reset'], headers['retry-after']]
  }
  expect(await answer(0)).toEqual([200, '1', '60', undefined])
  expect(await answer(1)).toEqual([200, '0', '60', undefined])
  expect(await answer(29_999)).toEqual([429, '0', '30', '30'])
  expect(await answer(29_999)).toEqual([429, '0', '1', '1'])
  expect(await answer(1)).toEqual([200, '1', '60', undefined])
  expect(await answer(-3_600_000)).toEqual([200, '1', '60', undefined])
  await api.close()
})
