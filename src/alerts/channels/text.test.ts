import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { noon } from '../../../test/support/channels.ts'
import { exampleMessage } from './example-message.ts'
import { cutAtWord, fitted, htmlFormat, jsonBytes, oneLine, plainFormat, withoutMentions } from './fit.ts'
import type { AlertMessage, MessageSubject } from './message.ts'
import { bodyText, chatText, messageText } from './text.ts'

describe('cutting a text', () => {
  test('ends with a whole word', () => {
    expect(cutAtWord('the quick brown fox', 12)).toBe('the quick…')
    expect(cutAtWord('the quick brown fox', 10)).toBe('the quick…')
    expect(cutAtWord('the quick', 9)).toBe('the quick')
    expect(cutAtWord('x'.repeat(100), 10)).toBe(`${'x'.repeat(9)}…`)
  })

  test('never exceeds the limit, in characters or in bytes, and never splits a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.integer({ min: 0, max: 100 }), (text, max) => {
        expect(cutAtWord(text, max).length).toBeLessThanOrEqual(max)
        const inBytes = cutAtWord(text, max, jsonBytes)
        expect(jsonBytes(inBytes)).toBeLessThanOrEqual(max)
        expect(text.startsWith(inBytes.replace(/…$/, ''))).toBe(true)
        expect(oneLine(text, max)).not.toMatch(/[\p{Cc}\p{Surrogate}\u2028\u202e]/u)
      }),
    )
  })

  test('keeps links whole, and omits those that take more than half', () => {
    const lines = [[{ text: 'word '.repeat(100) }]]
    const links = [[{ text: 'Run', url: 'https://a.example/run' }], [{ text: 'Check', url: `https://a.example/${'x'.repeat(100)}` }]]
    const text = fitted(lines, links, htmlFormat, 120)
    expect(text).toMatch(/^(word )*word…\n<a href="https:\/\/a\.example\/run">Run<\/a>$/)
    expect(text.length).toBeLessThanOrEqual(120)
  })

  test('takes no time for what is cut off', () => {
    expect(oneLine('é'.repeat(50_000_000), 20)).toHaveLength(20)
  })
})

test('mentions are defused, and email addresses are not', () => {
  expect(withoutMentions('@room (@here) ops@example.com a@b')).toBe('@\u2060room (@\u2060here) ops@example.com a@b')
})

describe('message texts', () => {
  const opened = exampleMessage('open', { id: 'msg-1', now: noon })
  const linesOf = (message: AlertMessage) => bodyText(messageText(message), plainFormat, 10_000).split('\n')
  const withSubject = (event: AlertMessage['event'], changes: Partial<MessageSubject>): AlertMessage => {
    const message = exampleMessage(event, { id: 'msg-1', now: noon })
    return { ...message, subjects: message.subjects.map((subject) => ({ ...subject, ...changes })) }
  }

  test('state since when, where and why', () => {
    expect(linesOf(opened)).toEqual([
      'Since 2026-11-17 11:48 UTC, for 12 min',
      'At 2 of 3 locations: eu-central, us-east',
      'Reason: the status code is 503, not 200',
      'Main · rule shop-down · critical',
    ])
  })

  test('of a recovery state the duration and the most frequent reason', () => {
    expect(linesOf(exampleMessage('close', { id: 'msg-1', now: noon }))).toEqual([
      'From 2026-11-17 11:48 UTC to 2026-11-17 12:00 UTC: lasted 12 min',
      'Last at 2 of 3 locations: eu-central, us-east',
      'Most frequent reason: the status code is 503, not 200',
      'Main · rule shop-down · critical',
    ])
  })

  test.each([
    [500, 'less than 1 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [3_600_000, '1 h'],
    [3_900_000, '1 h 5 min'],
    [90_060_000, '1 d 1 h'],
    [86_460_000, '1 d'],
  ])('%i ms are %s', (lengthMs, text) => {
    expect(linesOf(withSubject('close', { since: noon - lengthMs, until: noon }))[0]).toMatch(new RegExp(`lasted ${text}$`))
  })

  test('list several subjects with links, which are new, and how many are omitted', () => {
    const [subject] = opened.subjects
    if (!subject) throw new Error('the example has no subject')
    const links = { check: 'https://t.example/c', run: 'https://t.example/r' }
    const message: AlertMessage = {
      ...opened,
      event: 'update',
      subjects: [
        { ...subject, links },
        { ...subject, name: 'Cart', isNew: false, reason: null, locations: null },
      ],
      subjectCount: 14,
    }
    expect(linesOf(message)).toEqual([
      'Shop (new)',
      'Since 2026-11-17 11:48 UTC, for 12 min',
      'At 2 of 3 locations: eu-central, us-east',
      'Reason: the status code is 503, not 200',
      'Run: https://t.example/r · Check: https://t.example/c',
      'Cart',
      'Since 2026-11-17 11:48 UTC, for 12 min',
      'and 12 more',
      'Main · rule shop-down · critical',
    ])
  })

  test('name dependents of a subject, and when a certificate expires', () => {
    const dependents = Array.from({ length: 12 }, (_, index) => `c${index}`)
    const lines = linesOf(withSubject('open', { dependents, certificateDays: 7 }))
    expect(lines).toContain('Affects 12 checks that depend on it: c0, c1, c2, c3, c4, c5, c6, c7, c8, c9 and 2 more')
    const some = linesOf(withSubject('open', { dependents: ['c0', 'c1'], dependentCount: 1200 }))
    expect(some).toContain('Affects 1,200 checks that depend on it: c0, c1 and 1198 more')
    expect(lines).toContain('The certificate expires in 7 days')
    expect(linesOf(withSubject('open', { certificateDays: -1 }))).toContain('The certificate expired 1 day ago')
  })

  test('link to acknowledge only open incidents', () => {
    const links = { incident: null, acknowledge: 'https://t.example/ack' }
    const shown = (event: AlertMessage['event']) =>
      chatText(messageText({ ...exampleMessage(event, { id: '1', now: noon }), links }), plainFormat, 5000)
    expect(shown('open')).toContain('Acknowledge: https://t.example/ack')
    expect(shown('close')).not.toContain('Acknowledge')
  })

  test.each(['javascript:alert(1)', 'not an address', `https://t.example/${'x'.repeat(3000)}`])('do not link to %.40s', (acknowledge) => {
    expect(messageText({ ...opened, links: { incident: null, acknowledge } }).links).toEqual([])
  })
})

test.each([
  ['open', 'critical', '🔴', 'failure'],
  ['open', 'error', '🔴', 'failure'],
  ['update', 'warning', '🟠', 'warning'],
  ['reminder', 'info', '🔵', 'info'],
  ['close', 'critical', '✅', 'success'],
  ['missed', 'critical', '✅', 'success'],
  ['settled', 'critical', '✅', 'success'],
  ['flapping', 'critical', '🔁', 'failure'],
  ['test', 'critical', '🔔', 'info'],
] as const)('icon and tone of the event %s with severity %s', (event, severity, icon, tone) => {
  expect(messageText({ ...exampleMessage(event, { id: '1', now: noon }), severity })).toMatchObject({ icon, tone })
})

test.each([
  [999, 'less than 1 s'],
  [1000, '1 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [3_600_000, '1 h'],
  [3_660_000, '1 h 1 min'],
  [86_400_000, '1 d'],
  [90_060_000, '1 d 1 h'],
])('%d ms lasted %s', (ms, text) => {
  const message = exampleMessage('close', { id: '1', now: noon })
  const subjects = message.subjects.map((subject) => ({ ...subject, since: noon - ms, until: noon }))
  expect(bodyText(messageText({ ...message, subjects }), plainFormat, 10_000)).toContain(`: lasted ${text}\n`)
})
