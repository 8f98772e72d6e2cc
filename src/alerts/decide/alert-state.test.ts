import { expect, test } from 'vitest'
import {
  type AlertState,
  acknowledge,
  applyDecision,
  applyDelivered,
  type Decision,
  groupKey,
  loadAlertState,
  nextDecisionAt,
  putIncident,
  subjectKey,
} from './alert-state.ts'
import type { Delivery, Incident, Member, Notified } from './model.ts'

const member = (subject: string, closedAt: number | null = null) => ({ subject, checkId: `check-${subject}`, closedAt }) as Member
const incident = (id: string, more: Partial<Incident> = {}): Incident => ({
  id,
  account: 'a',
  rule: 'rule',
  key: id,
  condition: 'failing',
  severity: 'critical',
  openedAt: 10,
  closedAt: null,
  acknowledged: null,
  members: [member('x')],
  ...more,
})
const notified = (of: string, more: Partial<Notified> = {}): Notified => ({
  incident: of,
  channel: 'chat',
  open: ['x'],
  flapping: [],
  firstAt: null,
  lastAt: null,
  reminders: 0,
  dropped: false,
  ...more,
})
const delivery = (of: string, id: string): Delivery =>
  ({ message: { id }, channel: 'chat', incident: of, notifiedAfter: notified(of), decidedAt: 1 }) as unknown as Delivery
const loaded = (...incidents: readonly Incident[]) => loadAlertState({ incidents, notified: [], inFlight: [] })
const decision = (more: Partial<Decision>): Decision => ({
  incidents: [],
  notified: [],
  deliveries: [],
  superseded: [],
  held: new Map(),
  dueChecks: new Map(),
  dueIncidents: new Map(),
  finished: [],
  isPartial: false,
  ...more,
})
const newestOf = (state: AlertState, subject = 'x') => state.bySubject.get(subjectKey(incident('a'), subject))

test('the newest incident of a subject is the open one, or the one that opened last', () => {
  const [early, late] = [incident('early', { openedAt: 1 }), incident('late', { openedAt: 2 })]
  expect(newestOf(loaded(late, early))).toBe('late')
  const state = loaded(incident('late', { openedAt: 2, members: [member('x', 5)] }))
  putIncident(state, incident('early', { openedAt: 1, members: [member('x', 4)] }))
  expect(newestOf(state)).toBe('late')
  putIncident(state, incident('same', { openedAt: 2, members: [member('x', 6)] }))
  expect(newestOf(state)).toBe('same')
  putIncident(state, early)
  expect(newestOf(state)).toBe('early')
  expect(state.ofSubject.get(subjectKey(early, 'x'))).toEqual(new Set(['late', 'early', 'same']))
})

test('open incidents are found by group and check, closed ones are not', () => {
  const state = loaded(incident('i'), incident('j', { key: 'i', openedAt: 11, members: [member('y')] }))
  expect(state.byGroup.get(groupKey(incident('i')))).toBe('j')
  expect([...state.byCheck]).toEqual([
    ['check-x', new Set(['i'])],
    ['check-y', new Set(['j'])],
  ])
  putIncident(state, incident('i', { closedAt: 20, members: [member('x', 20)] }))
  expect(state.byGroup.get(groupKey(incident('i')))).toBe('j')
  putIncident(state, incident('j', { key: 'i', openedAt: 11, closedAt: 20, members: [member('y', 20)] }))
  expect([state.byGroup.size, state.byCheck.size]).toEqual([0, 0])
})

test('all rules share the group of a location', () => {
  const [one, other] = ['one', 'other'].map((rule) => groupKey({ condition: 'location', rule, key: 'eu' }))
  expect(one).toBe(other)
  expect(groupKey({ condition: 'failing', rule: 'one', key: 'eu' })).not.toBe(groupKey({ condition: 'failing', rule: 'other', key: 'eu' }))
})

test('a storm begins once and ends once', () => {
  const storm = (closedAt: number | null) => incident('s', { condition: 'location', key: 'eu', closedAt })
  const state = loaded(storm(null))
  expect([...state.storms]).toEqual(['eu'])
  putIncident(state, storm(30))
  putIncident(state, storm(40))
  expect([[...state.storms], [...state.endedStorms]]).toEqual([[], [['eu', 30]]])
})

test('incidents of the last minute are counted by rule, up to ten', () => {
  const state = loaded(incident('a', { openedAt: 0 }), incident('b', { openedAt: 1 }), incident('c', { openedAt: 60_000 }))
  expect(state.openedLately.get('rule')).toEqual([1, 60_000])
  putIncident(state, incident('c', { openedAt: 60_000, closedAt: 60_001 }))
  putIncident(state, incident('back', { openedAt: 50_000 }))
  expect(state.openedLately.get('rule')).toEqual([1, 50_000])
  for (let i = 0; i < 12; i++) putIncident(state, incident(`n${i}`, { openedAt: 50_001 + i }))
  expect(state.openedLately.get('rule')).toEqual(Array.from({ length: 10 }, (_, i) => 50_003 + i))
})

test('a decision adds, supersedes, holds and removes messages', () => {
  const state = loaded()
  const sent = delivery('i', 'm1')
  applyDecision(
    state,
    decision({
      incidents: [incident('i')],
      notified: [notified('i')],
      deliveries: [sent],
      held: new Map([['m1', true]]),
      dueChecks: new Map([['x', 7]]),
      dueIncidents: new Map([['i', 9]]),
    }),
  )
  expect(state.inFlight.get('i')?.get('chat')).toBe(sent)
  expect(state.notified.get('i')?.get('chat')).toEqual(notified('i'))
  expect([[...state.held], nextDecisionAt(state)]).toEqual([['m1'], 7])
  applyDecision(state, decision({ held: new Map([['m1', false]]), dueChecks: new Map([['x', null]]) }))
  expect([[...state.held], nextDecisionAt(state)]).toEqual([[], 9])
  const next = delivery('i', 'm2')
  applyDecision(state, decision({ superseded: [sent], deliveries: [next] }))
  applyDecision(state, decision({ superseded: [sent] }))
  expect(state.inFlight.get('i')?.get('chat')).toBe(next)
  applyDecision(state, decision({ finished: ['i', 'unknown'] }))
  const left = [state.incidents, state.notified, state.inFlight, state.dueIncidents, state.ofSubject, state.bySubject]
  expect([left.map(({ size }) => size), nextDecisionAt(state)]).toEqual([[0, 0, 0, 0, 0, 0], null])
})

test('removing an incident keeps the others of its subject', () => {
  const state = loaded(incident('early', { openedAt: 1, members: [member('x', 2)] }), incident('late'))
  applyDecision(state, decision({ finished: ['early'] }))
  expect([newestOf(state), [...(state.ofSubject.get(subjectKey(incident('a'), 'x')) ?? [])]]).toEqual(['late', ['late']])
})

test('a delivered message is recorded, and incidents that waited for it are due', () => {
  const state = loaded(incident('early', { openedAt: 1, members: [member('x', 2)] }), incident('late'))
  const [sent, other] = [delivery('early', 'm1'), delivery('late', 'm2')]
  applyDecision(state, decision({ deliveries: [sent, other], held: new Map([['m1', true]]) }))
  expect(applyDelivered(state, sent, 50)).toEqual(notified('early', { firstAt: 50, lastAt: 50 }))
  expect([state.inFlight.has('early'), state.inFlight.has('late'), state.held.size]).toEqual([false, true, 0])
  expect([...state.dueIncidents]).toEqual([
    ['early', 50],
    ['late', 0],
  ])
  const again = { ...sent, notifiedAfter: notified('early', { firstAt: 20 }) }
  expect(applyDelivered(state, again, 60)).toMatchObject({ firstAt: 20, lastAt: 60 })
})

test('after a message was superseded, incidents that waited for it are due', () => {
  const state = loaded(incident('early', { openedAt: 1, members: [member('x', 2)] }), incident('late'))
  applyDecision(state, decision({ superseded: [delivery('early', 'm1')] }))
  expect([...state.dueIncidents]).toEqual([['late', 0]])
})

test('only an open incident can be acknowledged, and only once', () => {
  const open = incident('i')
  const known = acknowledge(open, 'me', 5)
  expect(known.acknowledged).toEqual({ at: 5, by: 'me' })
  expect(acknowledge(known, 'you', 6)).toBe(known)
  const closed = incident('i', { closedAt: 5 })
  expect(acknowledge(closed, 'me', 6)).toBe(closed)
})
