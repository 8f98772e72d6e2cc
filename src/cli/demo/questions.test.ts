import { expect, test } from 'vitest'
import { checkOf, checkTypeOf, passed, pingedType } from '../../../test/support/checks.ts'
import { questionLines } from './questions.ts'

const type = checkTypeOf(async () => passed)
const access = { url: 'http://127.0.0.1:8787', key: 'tdm_k', account: 'demo' }
const check = (id: string) => checkOf(id, type, { name: `The ${id}` })
const asked = (id: string, parameters: string) =>
  `curl -s -w "\\n" "http://127.0.0.1:8787/v1/analytics/test-checks/${id}?${parameters}" -H "Authorization: Bearer tdm_k" -H "X-Service-Account: demo"`

test('example queries of a demo cover one check after another, of those with a duration', () => {
  const checks = [checkOf('nightly', pingedType), ...['home', 'cart', 'api'].map(check)]
  expect(questionLines({ ...access, checks })).toEqual([
    '# the exact p99 of The home over thirty days',
    asked('home', 'quickRange=last30Days&metrics=took_p99'),
    '# The cart by location',
    asked('cart', 'quickRange=last7Days&metrics=took_p95,availability&groupBy=runLocation'),
    '# The api day by day',
    asked('api', 'quickRange=last7Days&metrics=took_median,took_p95&aggregationInterval=1440'),
    '# the latest runs of The home, one by one',
    asked('home', 'metrics=took&limit=5'),
    '# availability and retries of The cart',
    asked('cart', 'quickRange=last30Days&metrics=availability,retries'),
  ])
})

test('without such checks there are no queries', () => {
  expect(questionLines({ ...access, checks: [checkOf('nightly', pingedType)] })).toEqual([])
})
