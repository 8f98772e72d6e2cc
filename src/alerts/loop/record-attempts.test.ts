import { expect, test } from 'vitest'
import { noon } from '../../../test/support/channels.ts'
import { recordingLog } from '../../../test/support/log.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { inlineWorker } from '../../store/threads/worker.ts'
import { exampleMessage } from '../channels/example-message.ts'
import { neverNotified } from '../decide/compare.ts'
import type { Delivery } from '../decide/model.ts'
import { openAlertDatabase } from '../outbox/alert-database.ts'
import type { DeliveryAttempt } from '../outbox/alert-records.ts'
import { createAttemptRecorder } from './record-attempts.ts'

const delivery: Delivery = {
  message: exampleMessage('open', { id: 'm', now: noon }),
  channel: 'hook',
  incident: 'i',
  notifiedAfter: neverNotified('i', 'hook'),
  decidedAt: noon,
}
const attempt = (outcome: DeliveryAttempt['outcome'], more: Partial<Delivery> = {}): DeliveryAttempt => ({
  ...{ account: 'acme', delivery: { ...delivery, ...more }, at: noon, outcome, answer: '503 busy', nextAt: null },
})

function open(channels = ['hook', 'fallback'], database = inlineWorker(openAlertDatabase({ directory: temporaryFolder() }))) {
  const log = recordingLog()
  const sent: string[] = []
  const hurried: string[] = []
  const recorder = createAttemptRecorder({
    database,
    stored: [],
    log,
    alertsOf: () => undefined,
    hasChannel: (_, channel) => channels.includes(channel),
    onAttempt: () => {},
    send: (_, { channel, message }) => sent.push(`${channel}: ${message.title}`),
    hurry: (_, channel) => hurried.push(channel),
    isClosing: () => false,
  })
  const said = () => log.entries.map(({ level, message }) => `${level}: ${message}`)
  return { recorder, sent, hurried, said }
}

test('a message that is given up is reported in the log and to the fallback, each time', async () => {
  const { recorder, sent, said } = open()
  await recorder.record(attempt('givenUp'))
  await recorder.record(attempt('givenUp'))
  expect(said()).toEqual(Array.from({ length: 2 }, () => 'error: Gave up on a message after a day.'))
  expect(sent).toEqual(Array.from({ length: 2 }, () => 'fallback: Channel hook accepted no message for a day: 503 busy'))
})

test('a message to the fallback is written again if that failed, and sent once', async () => {
  const whole = inlineWorker(openAlertDatabase({ directory: temporaryFolder() }))
  let failures = 2
  const { recorder, sent } = open(['hook', 'fallback'], {
    ...whole,
    async call(name, ...rest) {
      const answer = await whole.call(name, ...rest)
      if (name === 'commit' && failures-- > 0) throw new Error('its thread has ended')
      return answer
    },
  })
  await recorder.record(attempt('broken'))
  await expect.poll(() => sent, { timeout: 10_000 }).toEqual(['fallback: Channel hook is broken: 503 busy'])
  await recorder.close()
  const waiting = (await whole.call('load', [noon])).inFlight.map(({ delivery: { channel } }) => channel)
  expect([sent.length, waiting]).toEqual([1, ['fallback']])
})

test('a channel that breaks is logged once; when it works again, waiting messages are sent', async () => {
  const { recorder, sent, hurried, said } = open()
  for (const outcome of ['broken', 'broken', 'delivered', 'broken'] as const) await recorder.record(attempt(outcome))
  expect(said()).toEqual([
    'error: A channel is broken; retrying every hour.',
    'info: A channel works again.',
    'error: A channel is broken; retrying every hour.',
  ])
  expect(sent).toEqual(Array.from({ length: 2 }, () => 'fallback: Channel hook is broken: 503 busy'))
  expect(hurried).toEqual(['hook'])
  expect([recorder.trouble('acme', 'hook'), recorder.trouble('acme', 'other')]).toEqual(['it is broken: 503 busy', null])
})

test('a broken fallback, or a missing one, is reported only in the log', async () => {
  const own = open()
  await own.recorder.record(attempt('broken', { channel: 'fallback' }))
  expect([own.said().length, own.sent]).toEqual([1, []])
  const none = open(['hook'])
  await none.recorder.record(attempt('broken'))
  expect([none.said().length, none.sent]).toEqual([1, []])
})
