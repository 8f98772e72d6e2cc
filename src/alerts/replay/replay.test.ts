import { expect, test } from 'vitest'
import { AlertWorld, alertCheck, alertRule, start } from '../../../test/support/alert-world.ts'
import type { FiledResult } from '../../store/store.ts'
import { noHistory } from '../outbox/alert-history.ts'
import { replayAlerts } from './replay.ts'

const minute = 60_000
const quiet = { history: noHistory, resultsFrom: start, burnFrom: start, checkpoint: () => {} }

async function* inBatches(results: readonly FiledResult[], size: number): AsyncGenerator<readonly FiledResult[]> {
  for (let i = 0; i < results.length; i += size) yield results.slice(i, i + size)
}

test('a replay lists the messages that would have been sent, with their times', async () => {
  const rules = [alertRule({ after: { timeMs: 90_000 }, remind: { everyMs: 2 * minute, times: 1 } })]
  const world = new AlertWorld({ checks: [alertCheck('shop'), alertCheck('bank')], rules }, start)
  const results: FiledResult[] = []
  for (let i = 0; i < 20; i++) {
    for (const [id, from] of [
      ['shop', 3],
      ['bank', 9],
    ] as const) {
      const filed = world.filed(id, i >= from && i < from + 6 ? 'down' : 'up')
      results.push(filed)
      world.tracker.add([filed], world.now)
      world.decide()
    }
    world.advance(minute)
  }
  let ids = 0
  const links = world.input('all').links
  const options = { ...quiet, plan: world.plan, from: start, to: world.now, newId: () => `${++ids}`, links }
  const notified: string[] = []
  for await (const { at, channel, message } of replayAlerts({ ...options, results: inBatches(results, 7) })) {
    notified.push(`${(at - start) / 1000} ${channel} ${message.event} ${message.title}`)
  }
  expect(notified).toEqual(world.lines)
  expect(notified).toHaveLength(6)
  const later: string[] = []
  for await (const { message } of replayAlerts({ ...options, from: start + 10 * minute, results: inBatches(results, 7) }))
    later.push(message.event)
  expect(later).toEqual(['open', 'reminder', 'close'])
})

test('results of the same instant are reported together', async () => {
  const checks = ['shop', 'bank', 'blog'].map((id) => alertCheck(id))
  const world = new AlertWorld({ checks, rules: [alertRule({ group: { by: 'tag', waitMs: 0 } })] }, start)
  const results = checks.map(({ id }) => world.filed(id, 'down'))
  const options = { ...quiet, plan: world.plan, from: start, to: start, newId: () => 'id', links: world.input('all').links }
  const subjects: number[] = []
  for await (const { message } of replayAlerts({ ...options, results: inBatches(results, 2) })) subjects.push(message.subjectCount)
  expect(subjects).toEqual([3])
})
