import { expect, test } from 'vitest'
import { testCheck } from '../../../test/support/catalogue.ts'
import { recordingLog } from '../../../test/support/log.ts'
import { testResult } from '../../../test/support/results.ts'
import { resultsOf, temporaryStore } from '../../../test/support/temporary-store.ts'
import { virtualClock } from '../../../test/support/virtual-clock.ts'
import { checkTypes } from '../../checks/registry.ts'
import { type Store, StoreUnavailable } from '../../store/store.ts'
import { dayMs, hourMs } from '../../time.ts'
import { startRetention } from './retention.ts'

const start = Date.UTC(2026, 10, 14, 12)
const [checkType] = checkTypes
if (!checkType) throw new Error('there are no check types')
const check = testCheck(checkType)

async function world({ failures = 0 } = {}) {
  const clock = virtualClock(start)
  const { store } = await temporaryStore(clock.now)
  let left = failures
  const expiring: Store['expiring'] = async (days) => {
    if (left-- > 0) throw new StoreUnavailable('The database cannot be used.', 5)
    return store.expiring(days)
  }
  await store.append(Array.from({ length: 60 }, (_, day) => testResult(check, start - day * dayMs)))
  const log = recordingLog()
  const retention = startRetention({ store: { ...store, expiring }, clock, log })
  const kept = async () => (await resultsOf(store, check.id, check.account)).length
  const settings = (retentionDays: number, evidenceRetentionDays: number) => ({
    retentionDays,
    retentionDelayMs: hourMs,
    evidenceRetentionDays,
  })
  const set = (days: number, evidenceDays = 30) => retention.set(settings(days, evidenceDays))
  return { clock, log, kept, store, set, close: retention.close }
}

test('a shorter retention logs what will be deleted, and waits before the first deletion', async () => {
  const { clock, log, kept, set } = await world()
  set(30)
  await clock.advance(hourMs - 1)
  expect(await kept()).toBe(60)
  expect(log.messages).toEqual([
    'The retention is 30d: 29 results of 1 checks from 2026-09-16 to 2026-10-14 will be deleted at 2026-11-14T13:00:00.000Z. To keep them, set a longer retention before then.',
  ])
  await clock.advance(1)
  await expect.poll(kept).toBe(31)
})

test('a failing store is retried with back-off until it responds', async () => {
  const { clock, log, kept, set } = await world({ failures: 3 })
  set(30)
  for (const seconds of [5, 10, 20]) {
    await expect.poll(() => log.messages.at(-1)).toBe(`Could not apply the retention. Retrying in ${seconds} s.`)
    await clock.advance(1000 * seconds)
  }
  await expect.poll(() => log.messages.at(-1)).toContain('29 results of 1 checks')
  await clock.advance(hourMs)
  await expect.poll(kept).toBe(31)
})

test('a change that is reverted in time deletes nothing', async () => {
  const { clock, kept, set } = await world()
  set(30)
  await clock.advance(hourMs / 2)
  set(400)
  await clock.advance(2 * hourMs)
  expect(await kept()).toBe(60)
  expect(clock.pending()).toBe(0)
})

test('an unrelated reload does not restart the wait, and a closed server deletes nothing', async () => {
  const { clock, kept, set, close } = await world()
  set(30)
  await clock.advance(hourMs / 2)
  set(30)
  close()
  await clock.advance(2 * hourMs)
  expect(await kept()).toBe(60)
})

test('evidence has a separate retention, which is applied at once', async () => {
  const { store, kept, set } = await world()
  const ref = { account: check.account, checkId: check.id }
  const filed = (day: number) => ({ ...testResult(check, start - day * dayMs + 1), evidence: Buffer.from('evidence') })
  await store.append([1, 8].map(filed))
  const results = await store.results({
    check: ref,
    window: { from: 0, to: start },
    location: null,
    hasFailures: null,
    before: null,
    rowPage: { offset: 0, limit: 100 },
  })
  const withEvidence = async () => {
    const found = await Promise.all(results.map(({ id, startedAt }) => store.result({ check: ref, id, startedAt })))
    return found.filter((one) => one?.evidence).length
  }
  set(400)
  expect(await withEvidence()).toBe(2)
  set(400, 7)
  await expect.poll(withEvidence).toBe(1)
  expect(await kept()).toBe(62)
})
