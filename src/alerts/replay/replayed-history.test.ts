import { expect, test } from 'vitest'
import { AlertWorld, alertCheck, alertRule, start } from '../../../test/support/alert-world.ts'
import { type AlertRule, noPolicies } from '../../catalogue/policies/policies.ts'
import type { FiledResult } from '../../store/store.ts'
import { type AlertHistory, noHistory } from '../outbox/alert-history.ts'
import { historyNotes } from './history-notes.ts'
import { replayAlerts } from './replay.ts'

const minute = 60_000
const ids = ['shop', 'bank', 'blog', 'mail', 'news'] as const
type Failing = Partial<Record<(typeof ids)[number], readonly [from: number, to: number]>>

/** Replays half an hour in which checks fail during the given minutes; returns the messages. */
async function replayed(failing: Failing, history: Partial<AlertHistory>, rule: Partial<AlertRule> = {}): Promise<readonly string[]> {
  const world = new AlertWorld({ checks: ids.map((id) => alertCheck(id)), rules: [alertRule(rule)] }, start)
  const results: FiledResult[] = []
  for (let i = 0; i < 30; i++) {
    for (const id of ids) {
      const [from, to] = failing[id] ?? [0, 0]
      results.push(world.filed(id, i >= from && i < to ? 'down' : 'up', { startedAt: start + i * minute }))
    }
  }
  const options = { plan: world.plan, from: start, to: start + 30 * minute, resultsFrom: start, burnFrom: start, checkpoint: () => {} }
  let made = 0
  const lines: string[] = []
  for await (const { at, message } of replayAlerts({
    ...options,
    history: { ...noHistory, since: 0, ...history },
    results: (async function* () {
      yield results
    })(),
    newId: () => `${++made}`,
    links: world.input('all').links,
  }))
    lines.push(`${(at - start) / minute} ${message.event} ${message.subjects.map(({ name }) => name).join()}`)
  return lines
}

const silence = { id: 's', account: 'acme', checks: ['shop'], tags: [], by: 'ann', comment: '' }

test('a past silence holds back what began during it', async () => {
  const silences = [{ ...silence, from: start + 4 * minute, to: start + 10 * minute }]
  expect(await replayed({ shop: [5, 8], bank: [5, 8] }, { silences })).toEqual(['5 open bank', '8 close bank'])
  expect(await replayed({ shop: [5, 15] }, { silences })).toEqual(['10 open shop', '15 close shop'])
})

test('an acknowledgement stops later reminders and steps', async () => {
  const rule = { remind: { everyMs: 5 * minute, times: 9 } }
  const at = start + 12 * minute
  const acknowledged = { rule: 'rule', condition: 'failing', subjects: ['shop'], at, by: 'ann' } as const
  const failing: Failing = { shop: [1, 25] }
  expect(await replayed(failing, {}, rule)).toHaveLength(6)
  const notified = ['1 open shop', '6 reminder shop', '11 reminder shop', '25 close shop']
  expect(await replayed(failing, { acknowledgements: [acknowledged] }, rule)).toEqual(notified)
  expect(await replayed(failing, { acknowledgements: [{ ...acknowledged, rule: 'before' }] }, rule)).toEqual(notified)
  expect(await replayed(failing, { acknowledgements: [{ ...acknowledged, subjects: ['bank'] }] }, rule)).toHaveLength(6)
  const other = { ...acknowledged, condition: 'degraded' } as const
  expect(await replayed(failing, { acknowledgements: [other] }, rule)).toHaveLength(6)
})

test('an unreachable location is reported once instead of its checks', async () => {
  const unreachable = [{ location: 'eu', from: start + 4.5 * minute, to: start + 9.5 * minute }]
  const failing: Failing = { shop: [5, 10], bank: [6, 10] }
  expect(await replayed(failing, { unreachable })).toEqual(['4.5 open eu', '9.5 close eu'])
  expect(await replayed(failing, {})).toEqual(['5 open shop', '6 open bank', '10 close shop', '10 close bank'])
})

test('a check that failed just before its canaries were found unreachable is not reported alone', async () => {
  const failing: Failing = { shop: [5, 10] }
  const lost = (from: number) => [
    { location: 'eu', from: start, to: start },
    { location: 'eu', from: start + from * minute, to: start + 9.5 * minute },
  ]
  expect(await replayed(failing, { unreachable: lost(5.5) })).toEqual(['5.5 open eu', '9.5 close eu'])
  expect(await replayed(failing, { unreachable: lost(6) })).toEqual(['5 open shop', '6 open eu', '9.5 close eu', '10 close shop'])
})

test('notes name what is not recorded', () => {
  const policies = { ...noPolicies, canaries: [{ location: 'eu', targets: ['192.0.2.1:443'] }] }
  const notes = (history: AlertHistory) => historyNotes({ policies, selected: new Map() }, history, { from: start })
  expect(notes(noHistory)).toEqual(['There is no record of silences, acknowledgements and canaries here: none of them are applied.'])
  expect(notes({ ...noHistory, since: start, watchedFrom: { eu: start } })).toEqual([])
  expect(notes({ ...noHistory, since: start + 1 })).toEqual([
    'Silences and acknowledgements are recorded from 2026-11-16T10:02:00.001Z on: earlier ones may be missing.',
    'Whether eu could reach its canaries is not known: it counts as reachable.',
  ])
  expect(notes({ ...noHistory, since: start, watchedFrom: { eu: start + 1 } })).toEqual([
    'Whether eu could reach its canaries is known from 2026-11-16T10:02:00.001Z on: before, it counts as reachable.',
  ])
})

test('notes mention that agents are not recorded if a rule about silence covers their checks', () => {
  const notes = (rule: Partial<AlertRule>, agentLocations: readonly string[]) => {
    const { plan } = new AlertWorld({ checks: [alertCheck('shop', { agentLocations })], rules: [alertRule(rule)] }, start)
    return historyNotes(plan, { ...noHistory, since: start }, { from: start })
  }
  expect(notes({ when: { kind: 'silent' } }, ['eu'])).toEqual([
    'Reports of single agents are not recorded: only the silence of whole locations is replayed.',
  ])
  expect([notes({ when: { kind: 'silent' } }, []), notes({}, ['eu'])]).toEqual([[], []])
})
