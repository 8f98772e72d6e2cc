import { expect, test } from 'vitest'
import type { Member } from './model.ts'
import { titleOf } from './titles.ts'

const now = Date.UTC(2026, 4, 4, 10, 30)
const ago = (seconds: number) => now - 1000 * seconds

const member = (more: Partial<Member> = {}): Member => ({
  subject: 'shop',
  checkId: 'shop',
  name: 'Shop',
  since: ago(120),
  openedAt: ago(120),
  closedAt: null,
  until: null,
  endedBy: null,
  reason: null,
  locations: null,
  result: null,
  certificateDays: null,
  changes: [],
  flappingSince: null,
  ...more,
})
const over = (more: Partial<Member> = {}) => member({ closedAt: now, until: ago(60), endedBy: 'recovered', ...more })

type Facts = Parameters<typeof titleOf>[0]
const title = (more: Partial<Facts> = {}) =>
  titleOf({
    event: 'open',
    condition: 'failing',
    members: [member()],
    fresh: new Set(),
    open: 1,
    openSince: ago(120),
    group: null,
    storm: null,
    now,
    ...more,
  })

test.each([
  ['failing', 'is failing', 'are failing', 'is no longer failing', 'was down', 'is still failing', 'are still failing'],
  ['degraded', 'is degraded', 'are degraded', 'is no longer degraded', 'was degraded', 'is still degraded', 'are still degraded'],
  [
    'sloBurn',
    'burns its error budget too fast',
    'burn their error budgets too fast',
    'no longer burns its error budget too fast',
    'burnt its error budget too fast',
    'still burns its error budget too fast',
    'still burn their error budgets too fast',
  ],
  [
    'silent',
    'is silent: no results from it',
    'are silent: no results from them',
    'is no longer silent',
    'was silent',
    'is still silent',
    'are still silent',
  ],
  [
    'location',
    'cannot reach any of its canaries',
    'cannot reach any of its canaries',
    'can reach its checks again',
    'could not reach its checks',
    'still cannot reach its checks',
    'still cannot reach its checks',
  ],
] as const)('every event of %s', (condition, is, are, isNot, was, still, stillMany) => {
  const two = [member(), member({ subject: 'b' })]
  const titles = [
    title({ condition }),
    title({ condition, members: two }),
    title({ condition, event: 'close', members: [over()] }),
    title({ condition, event: 'missed', members: [over()] }),
    title({ condition, event: 'reminder' }),
    title({ condition, event: 'reminder', members: two }),
    title({ condition, event: 'settled' }),
    title({ condition, event: 'settled', members: [over()] }),
    title({ condition, event: 'close', members: [over({ endedBy: 'paused' })] }),
    title({ condition, event: 'close', members: [over({ endedBy: 'removed' })] }),
    title({ condition, event: 'close', members: [over(), over({ subject: 'b' })] }),
    title({ condition, event: 'update' }),
    title({ condition, event: 'update', members: [over()] }),
    title({ condition, event: 'update', members: [member(), over({ subject: 'b' })] }),
  ]
  expect(titles).toEqual([
    `Shop ${is}`,
    `Shop and 1 more ${are}`,
    `Shop ${isNot}: it ${was} for 1 minute`,
    `Shop ${was} from 10:28 to 10:29 UTC`,
    `Shop ${still}, for 2 minutes`,
    `Shop and 1 more ${stillMany}, for 2 minutes`,
    `Shop has settled: it ${is}`,
    `Shop has settled: it ${isNot}`,
    `Shop ${was}, and is paused now`,
    `Shop ${was}, and is no longer monitored`,
    `Shop and 1 more have recovered: the first ${was} for 1 minute`,
    `Shop ${is}`,
    `Shop ${isNot}: it ${was} for 1 minute`,
    `Shop and 1 more ${are}`,
  ])
})

test.each([
  [-1, 'has expired'],
  [0, 'expires today'],
  [1, 'expires in 1 day'],
  [2, 'expires in 2 days'],
  [null, 'expires today'],
])('a certificate with %s days left', (certificateDays, expiry) => {
  expect(title({ condition: 'certificate', members: [member({ certificateDays })] })).toBe(`Certificate of Shop ${expiry}`)
})

test('certificates that were renewed, or not', () => {
  const condition = 'certificate'
  expect(title({ condition, event: 'close', members: [over()] })).toBe('Certificate of Shop was renewed')
  expect(title({ condition, event: 'close', members: [over({ endedBy: 'paused' })] })).toBe(
    'Certificate of Shop was about to expire, and is paused now',
  )
  expect(title({ condition, event: 'reminder' })).toBe('Certificate of Shop is still not renewed, for 2 minutes')
  expect(title({ condition, event: 'reminder', members: [member(), member()] })).toBe(
    'Certificate of Shop and 1 more are still not renewed, for 2 minutes',
  )
  expect(title({ condition, event: 'settled' })).toBe('Shop has settled: it expires soon')
  expect(title({ condition, event: 'settled', members: [over()] })).toBe('Shop has settled: it no longer expires soon')
  const group = { name: 'shop', size: null }
  expect(title({ condition, event: 'update', group })).toBe('Certificate of Shop expires today')
  expect(title({ condition, open: 2, group })).toBe('2 in shop need attention since 10:28 UTC')
})

test('a location from which checks fail', () => {
  const storm = (down: number) => title({ condition: 'location', storm: { down, known: 9 } })
  expect([storm(0), storm(1)]).toEqual(['Shop cannot reach any of its canaries', 'Shop cannot reach 1 of 9 checks'])
})

test('a flapping check, and a message without members', () => {
  expect(title({ event: 'flapping', members: [member({ changes: [1, 2, 3] })] })).toBe('Shop changes often: 3 changes in 30 minutes')
  expect(title({ members: [] })).toBe('Everything has recovered')
  expect(title({ event: 'missed', members: [member()] })).toBe('Shop was down from 10:28 to 10:30 UTC')
})

const shop = { name: 'shop', size: 45 }

test.each<[Partial<Facts>, string]>([
  [{ open: 1, group: shop }, 'Shop is failing'],
  [{ open: 2, group: shop }, '2 of 45 in shop fail since 10:28 UTC'],
  [{ open: 2, group: { name: '', size: 45 } }, '2 of 45 fail since 10:28 UTC'],
  [{ open: 2, group: { name: 'shop', size: null } }, '2 in shop fail since 10:28 UTC'],
  [{ open: 3, group: { name: 'shop', size: 2 } }, '3 of 3 in shop fail since 10:28 UTC'],
  [{ open: 1, group: shop, event: 'update' }, '1 of 45 in shop fails since 10:28 UTC'],
  [{ open: 1, group: shop, event: 'update', fresh: new Set(['shop']) }, '1 of 45 in shop fails since 10:28 UTC, 1 new'],
  [{ open: 2, group: shop, event: 'open', fresh: new Set(['shop']) }, '2 of 45 in shop fail since 10:28 UTC'],
  [
    { open: 2, group: shop, event: 'update', members: [member(), over({ subject: 'b' })], fresh: new Set(['shop', 'b']) },
    '2 of 45 in shop fail since 10:28 UTC, 1 new, 1 resolved',
  ],
  [{ open: 2, group: shop, condition: 'degraded' }, '2 of 45 in shop are degraded since 10:28 UTC'],
  [{ open: 1, group: shop, event: 'update', condition: 'degraded' }, '1 of 45 in shop is degraded since 10:28 UTC'],
  [{ open: 2, group: shop, condition: 'silent' }, '2 of 45 in shop are silent since 10:28 UTC'],
  [{ open: 1, group: shop, event: 'update', condition: 'silent' }, '1 of 45 in shop is silent since 10:28 UTC'],
  [{ open: 2, group: shop, condition: 'sloBurn' }, '2 of 45 in shop burn their error budgets too fast since 10:28 UTC'],
  [{ open: 1, group: shop, event: 'update', condition: 'sloBurn' }, '1 of 45 in shop burns its error budget too fast since 10:28 UTC'],
  [{ open: 1, group: shop, event: 'update', condition: 'location' }, '1 of 45 in shop needs attention since 10:28 UTC'],
])('a group: %o', (facts, text) => {
  expect(title(facts)).toBe(text)
})

test.each([
  [0.999, 'less than a second'],
  [1, '1 second'],
  [59, '59 seconds'],
  [60, '1 minute'],
  [61, '1 minute 1 second'],
  [122, '2 minutes 2 seconds'],
  [3599, '59 minutes 59 seconds'],
  [3600, '1 hour'],
  [3601, '1 hour'],
  [7320, '2 hours 2 minutes'],
  [86_399, '23 hours 59 minutes'],
  [86_400, '1 day'],
  [180_000, '2 days 2 hours'],
])('%d seconds are %s', (seconds, text) => {
  expect(title({ event: 'reminder', members: [member({ since: ago(seconds) })] })).toBe(`Shop is still failing, for ${text}`)
})
