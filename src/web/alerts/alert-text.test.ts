import { expect, test } from 'vitest'
import type { AlertMessage, AlertRule } from '../api/answers.ts'
import {
  checksOf,
  conditionText,
  notifiedChannels,
  openAlertsText,
  outcomeText,
  selectedText,
  silencedText,
  stepsText,
  whereText,
} from './alert-text.ts'

const at = (minute: number) => `2026-11-17T12:0${minute}:00.000Z`

const message = {
  id: 'm',
  event: 'open',
  title: 'Shop is failing',
  decidedAt: at(0),
  state: 'delivered',
  attempts: 1,
  lastAt: at(1),
  answer: '200 ok',
  nextAt: null,
} as const
const channel = { firstAt: at(1), lastAt: at(1), open: 1, reminders: 0, dropped: false }

test('each channel was notified, will be notified, or will not be', () => {
  const notified = notifiedChannels({
    channels: [
      { ...channel, channel: 'chat' },
      { ...channel, channel: 'office', firstAt: null, lastAt: null, dropped: true },
    ],
    messages: [
      { ...message, channel: 'chat' },
      { ...message, channel: 'pager', state: 'waiting', answer: '503', nextAt: at(5) },
      { ...message, channel: 'mail', state: 'givenUp', answer: 'no answer' },
    ],
  })
  expect(notified.map(({ channel, state, answer, nextAt }) => [channel, state, answer, nextAt])).toEqual([
    ['chat', 'notified', null, null],
    ['office', 'dropped', null, null],
    ['pager', 'waiting', '503', Date.parse(at(5))],
    ['mail', 'givenUp', 'no answer', null],
  ])
})

test('locations are shown only for a single subject', () => {
  const member = { locations: { down: ['eu-1', 'us-1'], known: 3 } } as Parameters<typeof whereText>[0]['members'][number]
  expect(whereText({ members: [member] })).toBe('2 of 3 locations: eu-1, us-1')
  expect(whereText({ members: [{ ...member, locations: { down: ['eu-1'], known: 1 } }] })).toBe('eu-1')
  expect(whereText({ members: [member, member] })).toBeNull()
  expect(whereText({ members: [] })).toBeNull()
  expect(whereText({ members: [{ ...member, locations: null }] })).toBeNull()
})

test('a silence lists what it selects', () => {
  expect(silencedText({ checks: ['shop'], tags: ['web', 'eu'] })).toBe('shop if tagged web or eu')
  expect(silencedText({ checks: [], tags: [] })).toBe('everything')
  expect(silencedText({ checks: ['shop', 'mail'], tags: [] })).toBe('shop, mail')
  expect(silencedText({ checks: [], tags: ['web'] })).toBe('tagged web')
})

const rule: AlertRule = {
  id: 'shop',
  when: 'failing',
  certificateDays: [],
  slos: [],
  severity: 'critical',
  checks: [],
  tags: ['shop'],
  subscription: null,
  checkCount: 3,
  after: { runs: 2, seconds: null },
  recoverAfter: { runs: 1, seconds: null },
  quorum: 'majority',
  steps: [
    { afterSeconds: 0, to: ['chat'], during: null, outside: 'hold' },
    { afterSeconds: 600, to: ['on-call', 'head'], during: 'night', outside: 'drop' },
  ],
  remind: null,
  group: { by: 'none', waitSeconds: 0 },
}

test('a rule is described in a sentence', () => {
  expect(conditionText(rule)).toBe('a check fails for 2 runs at most of its locations')
  expect(conditionText({ ...rule, after: { runs: null, seconds: 300 }, quorum: 2 })).toBe('a check fails for 5 min at 2 locations')
  expect(conditionText({ ...rule, when: 'certificate', certificateDays: [30, 7] })).toBe('a certificate expires in 30, 7 days')
  expect(conditionText({ ...rule, when: 'sloBurn', slos: ['web'] })).toBe('the error budget of web burns too fast')
  expect(stepsText(rule)).toBe('chat at once; on-call, head after 10 min during night')
  expect([selectedText(rule), selectedText({ ...rule, tags: [] }), selectedText({ ...rule, tags: [], checkCount: null })]).toEqual([
    '3 checks tagged shop',
    'all 3 checks',
    'all checks',
  ])
  expect(selectedText({ ...rule, subscription: 7 })).toBe('3 checks subscribed to it')
})

test.each<[Partial<AlertRule>, string]>([
  [{ after: { runs: 1, seconds: null }, quorum: 1 }, 'a check fails'],
  [{ when: 'degraded', quorum: 1 }, 'a check is degraded for 2 runs'],
  [{ when: 'degraded', after: { runs: null, seconds: null }, quorum: 3 }, 'a check is degraded for 1 run at 3 locations'],
  [{ when: 'silent' }, 'no results from a location or agent'],
  [{ when: 'sloBurn', slos: [] }, 'an error budget burns too fast'],
  [{ when: 'sloBurn', slos: ['web', 'mail'] }, 'the error budget of web, mail burns too fast'],
])('a rule with %o alerts when %s', (more, text) => {
  expect(conditionText({ ...rule, ...more })).toBe(text)
})

test('a rule states which checks it covers', () => {
  expect(selectedText({ ...rule, checks: ['a'], tags: [], checkCount: 1 })).toBe('1 check')
  expect(selectedText({ ...rule, checks: ['a'], tags: [], checkCount: null })).toBe('checks')
  expect(selectedText({ ...rule, tags: ['shop', 'mail'], checkCount: null })).toBe('checks tagged shop or mail')
})

test('a channel that was notified before its messages were dropped has the time of its first notification', () => {
  const dropped = { ...channel, channel: 'chat', dropped: true }
  expect(notifiedChannels({ channels: [dropped], messages: [] })).toEqual([
    { channel: 'chat', state: 'notified', at: Date.parse(at(1)), answer: null, nextAt: null },
  ])
  const kept = { ...channel, channel: 'office', firstAt: null, lastAt: null }
  expect(notifiedChannels({ channels: [kept], messages: [{ ...message, channel: 'office', lastAt: at(2) }] })).toMatchObject([
    { state: 'notified', at: Date.parse(at(2)) },
  ])
  expect(notifiedChannels({ channels: [kept], messages: [] })).toMatchObject([{ state: 'notified', at: null }])
})

test('only one page of open alerts is counted', () => {
  const page = (count: number, next: string | null) => openAlertsText({ alerts: Array(count).fill({}), pagination: { next } })
  expect([page(0, null), page(1, null), page(100, 'more')]).toEqual(['0 open alerts', '1 open alert', 'more than 100 open alerts'])
})

test('checks of an alert are listed without duplicates and without other subjects', () => {
  const members = ['shop', null, 'mail', 'shop'].map((checkId) => ({ checkId })) as Parameters<typeof checksOf>[0]['members']
  expect(checksOf({ members })).toEqual(['shop', 'mail'])
})

test.each([
  ['waiting', 0, 'waiting'],
  ['waiting', 1, 'will be retried'],
  ['delivered', 1, 'delivered'],
  ['superseded', 0, 'replaced by a newer message'],
  ['givenUp', 9, 'given up'],
] as const)('a message that is %s after %i attempts is "%s"', (state, attempts, text) => {
  expect(outcomeText({ ...message, channel: 'chat', state, attempts } satisfies AlertMessage)).toBe(text)
})
