import { expect, test } from 'vitest'
import { AlertWorld, alertCheck, alertRule, start } from '../../../test/support/alert-world.ts'
import type { AlertRule } from '../../catalogue/policies/policies.ts'
import { explainAlerts } from './explain.ts'

const minute = 60_000
const shop = alertCheck('shop', { dependsOn: ['router'] })
const checks = [shop, alertCheck('router')]

const explain = (world: AlertWorld, trouble: string | null = null) =>
  explainAlerts(world.state, { ...world.input('all'), trouble: () => trouble }, shop)

function codes(world: AlertWorld): readonly string[] {
  return explain(world).flatMap(({ reasons }) => reasons.map(({ code }) => code))
}

const worldWith = (more: Partial<AlertRule>) => new AlertWorld({ checks, rules: [alertRule(more)] }, start)

test('no alert is sent for a check that no rule selects, or that does not fail', () => {
  expect(codes(worldWith({ checks: ['router'] }))).toEqual(['notSelected'])
  const world = worldWith({})
  world.result('shop', 'up')
  expect(codes(world)).toEqual(['clear'])
})

test('no alert is sent for a check or an SLO without results, or for a paused check', () => {
  const reasons = (world: AlertWorld) => explain(world).map(({ reasons }) => reasons)
  const world = worldWith({})
  expect(reasons(world)).toEqual([[{ code: 'unknown', text: 'shop: it is unknown whether the condition holds.' }]])
  const pairs = [{ factor: 14.4, longMs: 60 * minute, shortMs: 5 * minute }]
  expect(reasons(worldWith({ when: { kind: 'sloBurn', slos: [], pairs } }))).toEqual([[{ code: 'unknown', text: 'No result yet.' }]])
  expect(explainAlerts(world.state, { ...world.input('all'), trouble: () => null }, { ...shop, activated: false })).toEqual([
    { rule: 'rule', reasons: [{ code: 'paused', text: 'The check is paused.' }] },
  ])
})

test('lists channels that are not notified of the recovery yet', () => {
  const world = worldWith({})
  world.result('shop', 'down')
  world.advance(minute)
  world.silences = [
    { id: '1', account: 'acme', checks: ['shop'], tags: [], from: world.now, to: world.now + minute, by: 'ann', comment: 'a move' },
  ]
  world.result('shop', 'up')
  const [explained] = explain(world)
  expect(explained?.reasons).toEqual([
    { code: 'clear', text: 'shop: the condition does not hold.' },
    { code: 'recoveryPending', text: 'chat is not yet notified of its end, because of a silence by ann: a move.' },
  ])
  world.silences = []
  world.decide('all')
  expect(codes(world)).toEqual(['clear'])
})

test('states how many runs are missing', () => {
  const world = worldWith({ after: { runs: 3 } })
  world.result('shop', 'down')
  const [explained] = explain(world)
  expect(explained?.reasons).toEqual([
    { code: 'pending', text: 'shop: the condition has held since 2026-11-16T10:02:00.000Z, but needs 2 more runs.' },
  ])
})

test('says that an alert opens now if its time has come and nothing is decided yet', () => {
  const world = worldWith({ after: { timeMs: 5 * minute } })
  world.result('shop', 'down')
  world.now += 5 * minute
  expect(explain(world)[0]?.reasons).toEqual([{ code: 'pending', text: 'shop: the condition holds, and an alert opens now.' }])
})

test('lists notified channels, channels that will be notified later, and the reason why others are not', () => {
  const later = { afterMs: 10 * minute, to: ['boss'], during: null, outside: 'hold' as const }
  const world = worldWith({ steps: [{ ...later, afterMs: 0, to: ['chat'] }, later] })
  world.results([
    ['router', 'up'],
    ['shop', 'down'],
  ])
  expect(codes(world)).toEqual(['open', 'notified', 'step'])
  world.silences = [{ id: 's', account: 'acme', checks: ['shop'], tags: [], from: start, to: start + minute, by: 'ann', comment: 'move' }]
  expect(codes(world)).toEqual(['open', 'silence', 'notified', 'step'])
  world.silences = []
  world.acknowledge()
  expect(codes(world)).toEqual(['open', 'acknowledged', 'notified', 'stopped'])
})

test('names the failing dependency, and what a message waits for', () => {
  const inhibited = worldWith({})
  inhibited.results([
    ['router', 'down'],
    ['shop', 'down'],
  ])
  expect(codes(inhibited)).toContain('dependsOn')
  const grouped = worldWith({ group: { by: 'tag', waitMs: minute } })
  grouped.results([
    ['router', 'up'],
    ['shop', 'down'],
  ])
  expect(codes(grouped)).toEqual(['open', 'groupWait'])
})

test('states why a message is not delivered', () => {
  const world = worldWith({})
  world.weather.set('chat', 'fails')
  world.results([
    ['router', 'up'],
    ['shop', 'down'],
  ])
  const sending = (trouble: string | null) => explain(world, trouble)[0]?.reasons.find(({ code }) => code === 'sending')?.text
  expect(sending(null)).toBe('A message to chat is pending.')
  expect(sending('it is broken: 410 gone')).toBe('A message to chat is pending, but it is broken: 410 gone.')
})

const texts = (world: AlertWorld) => explain(world).flatMap(({ reasons }) => reasons.map(({ text }) => text))
const later = (afterMs: number, to: string) => ({ afterMs, to: [to], during: null, outside: 'hold' as const })

test('states since when an incident is open, and which channels were or will be notified', () => {
  const world = worldWith({ steps: [later(0, 'chat'), later(10 * minute, 'boss')] })
  world.results([
    ['router', 'up'],
    ['shop', 'down'],
  ])
  expect(texts(world)).toEqual([
    'shop: an alert has been open since 2026-11-16T10:02:00.000Z.',
    'chat was notified at 2026-11-16T10:02:00.000Z.',
    'boss is notified at 2026-11-16T10:12:00.000Z, unless it ended or is acknowledged by then.',
  ])
  world.acknowledge('ben')
  expect(texts(world)).toEqual([
    'shop: an alert has been open since 2026-11-16T10:02:00.000Z.',
    'ben acknowledged it at 2026-11-16T10:02:00.000Z.',
    'chat was notified at 2026-11-16T10:02:00.000Z.',
    'boss is not notified: it was acknowledged before its step.',
  ])
})

test('states how long the condition must still hold, and what is missing for a recovery', () => {
  const world = worldWith({ after: { timeMs: 5 * minute }, recoverAfter: { runs: 2 } })
  world.results([
    ['router', 'up'],
    ['shop', 'down'],
  ])
  expect(texts(world)).toEqual([
    'shop: the condition has held since 2026-11-16T10:02:00.000Z, but must hold until 2026-11-16T10:07:00.000Z.',
  ])
  const recovering = worldWith({ recoverAfter: { runs: 2 } })
  recovering.results([
    ['router', 'up'],
    ['shop', 'down'],
  ])
  recovering.advance(minute)
  recovering.results([
    ['router', 'up'],
    ['shop', 'up'],
  ])
  expect(texts(recovering)).toContain('It ended 2026-11-16T10:03:00.000Z, but needs 1 more run.')
})

test('states until when a group waits, and which maintenance, silence or mute holds messages back', () => {
  const grouped = worldWith({ group: { by: 'tag', waitMs: minute } })
  grouped.results([
    ['router', 'up'],
    ['shop', 'down'],
  ])
  expect(texts(grouped)).toContain('chat is notified once the group is complete, at 2026-11-16T10:03:00.000Z.')
  const world = worldWith({})
  const silence = { id: 's', account: 'acme', checks: [], tags: [], from: start, to: start + 60 * minute, by: 'ann' }
  world.silences = [{ ...silence, comment: '' }]
  world.results([
    ['router', 'up'],
    ['shop', 'down'],
  ])
  expect(texts(world)).toContain('Nothing is sent now, because of a silence by ann.')
  world.silences = [{ ...silence, comment: 'move' }]
  expect(texts(world)).toContain('Nothing is sent now, because of a silence by ann: move.')
})
