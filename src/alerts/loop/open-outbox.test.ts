import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { inlineWorker, type WorkerHandle } from '../../store/threads/worker.ts'
import { dayMs, hourMs } from '../../time.ts'
import { type AlertDatabase, openAlertDatabase } from '../outbox/alert-database.ts'
import { keptMs } from '../outbox/alert-rows.ts'
import { openOutbox } from './open-outbox.ts'

test('after the clock went ahead, alerts expire only once there was time to set it right', async () => {
  const directory = temporaryFolder()
  const database = inlineWorker(openAlertDatabase({ directory }))
  const expired: unknown[] = []
  const recorded: WorkerHandle<AlertDatabase> = {
    ...database,
    call(name, args) {
      if (name === 'expire') expired.push(args[0])
      return database.call(name, args)
    },
  }
  onTestFinished(() => database.close())
  const warned: string[] = []
  const start = Date.UTC(2026, 10, 1)
  let now = start
  const log = { warn: (_: object, message: string) => void warned.push(message) }
  const { expire } = await openOutbox({ directory, database: recorded, now: () => now, log })
  now = start + hourMs
  await expire()
  now = start + 500 * dayMs
  await expire()
  expect(expired).toEqual([start - keptMs, start + hourMs - keptMs])
  expect(warned).toEqual([expect.stringContaining('went ahead by 500 days')])
  now = start + 2 * hourMs
  await expire()
  expect(expired).toHaveLength(3)
})
