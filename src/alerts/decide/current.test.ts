import { expect, test } from 'vitest'
import { boundBy, currentOf, isQuiet, missedMembers, saysTheSame } from './current.ts'
import type { Progress } from './input.ts'
import type { Delivery, Incident, Member, Notified } from './model.ts'
import type { Stance } from './stance.ts'

type Known = Partial<Pick<Notified, 'open' | 'flapping'>>

const known = (more: Known = {}) => ({ open: [], flapping: [], ...more }) as unknown as Notified
const delivery = (after: Known, missed?: readonly string[]) =>
  ({ notifiedAfter: known(after), message: { event: 'open', reminder: null }, ...(missed && { missed }) }) as unknown as Delivery
const current = (
  before: Known,
  after: Known,
  { progress = 'unsent' as Progress, missed = undefined as readonly string[] | undefined } = {},
) => currentOf({ input: { progress: () => progress } }, known(before), delivery(after, missed))
const member = (subject: string, closedAt: number | null, endedBy: Member['endedBy'] = closedAt === null ? null : 'recovered') =>
  ({ subject, closedAt, endedBy }) as Member
const view = (members: readonly Member[], wants: Readonly<Record<string, Stance['wants']>>, code: string | null = null) => ({
  incident: { members } as unknown as Incident,
  stances: new Map(
    Object.entries(wants).map(([subject, one]) => [subject, { wants: one, why: code && { code, text: '' }, until: null } as Stance]),
  ),
})
const found = <Value>(value: Value | undefined): Value => {
  if (value === undefined) throw new RangeError('there is none')
  return value
}

test.each([
  ['opens', {}, { open: ['a'] }, ['a'], []],
  ['knows already', { open: ['a'] }, { open: ['a'] }, [], []],
  ['ends', { open: ['a'] }, {}, [], ['a']],
  ['flaps', {}, { open: ['a'], flapping: ['a'] }, [], ['a']],
  ['settles', { open: ['a'], flapping: ['a'] }, { open: ['a'] }, [], ['a']],
])('a message that %s', (_, before, after, opened, changed) => {
  const { opened: isOpened, changed: isChanged, isOwed } = found(current(before, after))
  expect([[...isOpened], [...isChanged], isOwed]).toEqual([opened, changed, false])
  const uncertain = found(current(before, after, { progress: 'uncertain' }))
  expect(uncertain.isOwed).toBe(opened.length + changed.length > 0)
})

test('there is no current message, or it is about what was missed', () => {
  expect(currentOf({ input: { progress: () => 'unsent' } }, known(), undefined)).toBeUndefined()
  const { isOwed, missed } = found(current({}, {}, { missed: ['a'] }))
  expect([isOwed, [...missed]]).toEqual([true, ['a']])
})

const closed = [member('a', 5)]
const open = [member('a', null)]
const opening = (progress: Progress) => found(current({}, { open: ['a'] }, { progress }))
const ending = found(current({ open: ['a'] }, {}, { progress: 'uncertain' }))
const missing = (progress: Progress) => found(current({}, {}, { missed: ['a'], progress }))

test.each([
  ['one that was not sent', open, 'open', opening('unsent'), null],
  ['one that was not sent, about what is held back', open, 'same', opening('unsent'), null],
  ['one that is still true', open, 'open', opening('uncertain'), 'keep'],
  ['one about what is held back', open, 'same', opening('uncertain'), 'hold'],
  ['one about what was closed', closed, 'closed', opening('uncertain'), 'missed'],
  ['one that closes something', closed, 'closed', ending, 'keep'],
  ['one that reports what was missed', closed, 'closed', missing('unsent'), null],
  ['one that reports what was missed, and may have arrived', closed, 'closed', missing('uncertain'), 'keep'],
  ['one that reports what was missed, which is open again', open, 'open', missing('unsent'), 'keep'],
  ['one whose members are all gone', [], 'closed', opening('uncertain'), 'keep'],
] as const)('%s', (_, members, wants, message, bound) => {
  expect(boundBy(view(members, { a: wants }), message)).toBe(bound)
})

test('members that a message has missed', () => {
  const missed = (members: readonly Member[], message: typeof ending, wants: Stance['wants'] = 'closed') =>
    missedMembers(view(members, { a: wants }), message).length
  const removed = [member('a', 5, 'removed')]
  expect([missed(closed, opening('unsent')), missed(open, opening('unsent')), missed(closed, opening('unsent'), 'same')]).toEqual([1, 0, 0])
  expect([missed(removed, opening('unsent')), missed(removed, opening('uncertain')), missed(removed, missing('unsent'))]).toEqual([0, 1, 1])
  expect(missed(closed, ending)).toBe(0)
})

test.each([
  ['muted', true],
  ['maintenance', true],
  ['silence', true],
  ['dependsOn', false],
  [null, false],
])('whether %s holds a message back', (code, quiet) => {
  expect(isQuiet(view(open, { a: 'same' }, code), opening('unsent'))).toBe(quiet)
  expect(isQuiet(view(open, { a: 'same' }, code), ending)).toBe(quiet)
  expect(isQuiet(view(open, { a: 'same' }, code), missing('unsent'))).toBe(false)
})

test('whether two messages have the same content', () => {
  const said = { event: 'open', reminder: null, notifiedAfter: { open: ['a', 'b'], flapping: ['a'] }, missed: ['c'] } as const
  const sent = delivery({ open: ['b', 'a'], flapping: ['a'] }, ['c'])
  expect(saysTheSame(sent, said)).toBe(true)
  const others = [
    { ...said, event: 'close' as const },
    { ...said, reminder: 1 },
    { ...said, notifiedAfter: { open: ['a'], flapping: ['a'] } },
    { ...said, notifiedAfter: { open: ['a', 'c'], flapping: ['a'] } },
    { ...said, notifiedAfter: { open: ['a', 'b'], flapping: [] } },
    { ...said, missed: [] },
  ]
  expect(others.map((other) => saysTheSame(sent, other))).toEqual(others.map(() => false))
})
