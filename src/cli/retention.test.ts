import { expect, test } from 'vitest'
import { testCheck } from '../../test/support/catalogue.ts'
import { recordingLog } from '../../test/support/log.ts'
import { testResult } from '../../test/support/results.ts'
import { resultsOf, temporaryStore } from '../../test/support/temporary-store.ts'
import { virtualClock } from '../../test/support/virtual-clock.ts'
import { checkTypes } from '../checks/registry.ts'
import { dayMs, hourMs } from '../time.ts'
import { startRetention } from './retention.ts'

const start = Date.UTC(2026, 10, 14, 12)
const [checkType] = checkTypes
if (!checkType) throw new Error('there are no check types')
const check = testCheck(checkType)

async function world() {
  const clock = virtualClock(start)
  const { store } = await temporaryStore(clock.now)
  await store.append(Array.from({ length: 60 }, (_, day) => testResult(check, start - day * dayMs)))
  const log = recordingLog()
  const retention = startRetention({ store, clock, log })
  const kept = async () => (await resultsOf(store, check.id, check.account)).length
  const settings = (retentionDays: number) => ({ retentionDays, retentionDelayMs: hourMs })
  return { clock, log, kept, set: (days: number) => retention.set(settings(days)), close: retention.close }
}

test('a shorter retention says what will go, and waits before the first deletion', async () => {
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

test('a change that is taken back in time deletes nothing', async () => {
  const { clock, kept, set } = await world()
  set(30)
  await clock.advance(hourMs / 2)
  set(400)
  await clock.advance(2 * hourMs)
  expect(await kept()).toBe(60)
  expect(clock.pending()).toBe(0)
})

test('a reload that changes something else does not restart the wait, and a closed server deletes nothing', async () => {
  const { clock, kept, set, close } = await world()
  set(30)
  await clock.advance(hourMs / 2)
  set(30)
  close()
  await clock.advance(2 * hourMs)
  expect(await kept()).toBe(60)
})
