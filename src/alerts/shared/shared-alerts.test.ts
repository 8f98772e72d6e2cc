// @slow waiting
import { expect, onTestFinished, test } from 'vitest'
import { alertRule } from '../../../test/support/alert-world.ts'
import { account, testCatalogue, testCheck } from '../../../test/support/catalogue.ts'
import { testTransport } from '../../../test/support/channels.ts'
import { anyRunType } from '../../../test/support/example-config.ts'
import { recordingLog } from '../../../test/support/log.ts'
import { memoryCoordination } from '../../../test/support/memory-coordination.ts'
import { testResult } from '../../../test/support/results.ts'
import { closedPort } from '../../../test/support/servers.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { temporaryStore } from '../../../test/support/temporary-store.ts'
import { refOf } from '../../catalogue/catalogue.ts'
import { channelTypes } from '../channels/registry.ts'
import type { AlertLoop } from '../loop/alert-loop.ts'
import { startSharedAlerts } from './shared-alerts.ts'

const patient = { timeout: 40_000, interval: 100 }
const check = testCheck(anyRunType(), { id: 'shop' })

/** Processes over one database, none of which has won the lease yet. */
async function place() {
  const { coordination, claims } = memoryCoordination()
  /** While set, reading calls to the leader takes as long as this. */
  const slow: { until: Promise<void> | null } = { until: null }
  const calls: typeof coordination.calls = {
    ...coordination.calls,
    async unanswered() {
      await slow.until
      return coordination.calls.unanswered()
    },
  }
  /** While set, rows cannot be written. */
  const unwritable = { is: false, tries: 0 }
  const rows: typeof coordination.rows = {
    ...coordination.rows,
    async write(written) {
      if (!unwritable.is) return coordination.rows.write(written)
      unwritable.tries++
      throw new Error('the disk is full')
    },
  }
  const { store } = await temporaryStore(Date.now)
  const refused = { id: 'chat', type: 'webhook', settings: { url: `http://127.0.0.1:${await closedPort()}` }, secrets: [] }
  const catalogue = testCatalogue({ checks: [check], policies: { alerts: [alertRule()], channels: [refused] } })
  async function start() {
    const log = recordingLog()
    const alerts = await startSharedAlerts({
      coordination: { ...coordination, calls, rows },
      store,
      catalogue,
      channelTypes,
      directory: temporaryFolder(),
      transport: () => testTransport({ now: Date.now }),
      log: log as never,
      publicUrl: () => 'https://tidemark.example',
      onConfigChange: () => () => {},
      measureBurn: async () => null,
      inline: true,
      now: Date.now,
    })
    let isOpen = true
    const close = async () => {
      if (isOpen) await alerts.close()
      isOpen = false
    }
    onTestFinished(close)
    return { alerts, log, close }
  }
  return { start, claims, slow, unwritable, store }
}

const isLeader = (alerts: AlertLoop) => alerts.stats().isLeader
const silenceFor = (comment: string) => ({
  account,
  checks: ['other'],
  tags: [],
  from: Date.now(),
  to: Date.now() + 3_600_000,
  by: 'ann',
  comment,
})
const comments = (alerts: AlertLoop) => alerts.silences(account).map(({ comment }) => comment)
const leads = 'This process sends the alerts of all processes.'

test('one process leads, another one calls it, and takes over its state once it has closed', { timeout: 90_000 }, async () => {
  const { start, store } = await place()
  const [first, second] = [await start(), await start()]
  await expect.poll(() => [first, second].filter(({ alerts }) => isLeader(alerts)).length, patient).toBe(1)
  const [leader, follower] = isLeader(first.alerts) ? [first, second] : [second, first]
  const events: string[] = []
  follower.alerts.onEvent(account, ({ kind }) => void events.push(kind))

  const asked = await follower.alerts.silence(silenceFor('asked'))
  expect([comments(leader.alerts), comments(follower.alerts)]).toEqual([['asked'], ['asked']])
  await leader.alerts.silence(silenceFor('own'))
  await expect.poll(() => comments(follower.alerts).toSorted(), patient).toEqual(['asked', 'own'])

  await store.append([{ check: refOf(check), result: testResult(check, Date.now(), { hasFailures: true }).result }])
  await expect.poll(() => events, patient).toContain('incident')
  const open = { account, from: 0, to: Date.now() + 1, isOpen: true, checkId: 'shop', limit: 10, offset: 0 }
  expect(await follower.alerts.incidents(open)).toHaveLength(1)
  expect(follower.alerts.stats().open.get(account)).toBe(1)
  const health = () => follower.alerts.health(account).map(({ channel, state }) => [channel, state])
  await expect.poll(health, patient).toEqual([['chat', 'failing']])
  expect(follower.alerts.health('other')).toEqual([])

  await leader.close()
  await expect.poll(() => isLeader(follower.alerts), patient).toBe(true)
  expect(follower.log.messages).toContain(leads)
  expect(comments(follower.alerts).toSorted()).toEqual(['asked', 'own'])
  expect(await follower.alerts.endSilence(account, asked.id)).toBe(true)
  expect(comments(follower.alerts)).toEqual(['own'])
})

test('a process that loses the lease steps down, and still answers', { timeout: 90_000 }, async () => {
  const { start, claims } = await place()
  const { alerts, log } = await start()
  await expect.poll(() => isLeader(alerts), patient).toBe(true)
  await alerts.silence(silenceFor('kept'))
  claims.set('other', { term: 1000, owner: 'other', beat: 5, ended: false })
  await expect.poll(() => isLeader(alerts), patient).toBe(false)
  expect(log.messages).toContain('This process no longer sends alerts: another one may.')
  await expect.poll(() => comments(alerts), patient).toEqual(['kept'])
})

test('a process that lost and won the lease while it was stepping down leads again', { timeout: 120_000 }, async () => {
  const { start, claims, slow } = await place()
  const { alerts, log } = await start()
  await expect.poll(() => isLeader(alerts), patient).toBe(true)
  let release = () => {}
  slow.until = new Promise((resolve) => {
    release = resolve
  })
  const times = (logged: string) => log.messages.filter((message) => message === logged).length
  const losses = () => times('This process no longer sends alerts: another one may.')
  for (const [before, term] of [1000, 2000].entries()) {
    claims.set(`other ${term}`, { term, owner: 'other', beat: 5, ended: false })
    await expect.poll(losses, patient).toBeGreaterThan(before)
    claims.set(`other ${term}`, { term, owner: 'other', beat: 6, ended: true })
    await expect
      .poll(() => [...claims.values()].some((claim) => claim.term === term + 1 && claim.beat > 0 && !claim.ended), patient)
      .toBe(true)
  }
  release()
  await expect.poll(() => isLeader(alerts) && times(leads) > 1, patient).toBe(true)
  await alerts.silence(silenceFor('kept'))
  expect(comments(alerts)).toEqual(['kept'])
})

test('a process that cannot begin its term stops when it is closed', { timeout: 60_000 }, async () => {
  const { start, claims, unwritable } = await place()
  unwritable.is = true
  const { close } = await start()
  await expect.poll(() => unwritable.tries, patient).toBeGreaterThan(0)
  await close()
  expect([...claims.values()].map(({ ended }) => ended)).toEqual([true])
})
