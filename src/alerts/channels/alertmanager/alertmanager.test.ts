import { expect, test } from 'vitest'
import { answers, channelReceiver, noon, testTransport } from '../../../../test/support/channels.ts'
import { closedPort } from '../../../../test/support/servers.ts'
import { exampleMessage } from '../example-message.ts'
import type { AlertMessage } from '../message.ts'
import { alertmanager } from './index.ts'

const opened = exampleMessage('open', { id: 'msg-1', now: noon })
const never = new AbortController().signal
const send = (urls: readonly string[], message: AlertMessage = opened, now = noon) =>
  alertmanager.deliver(message, { urls }, testTransport({ now: () => now }), never)

test('a message is sent to every address, and is delivered if one accepts it', async () => {
  const [one, two] = [await channelReceiver(answers(200, { body: '' })), await channelReceiver(answers(500, { body: 'busy' }))]
  const gone = `http://127.0.0.1:${await closedPort()}`
  const outcome = await send([gone, one.url, two.url])
  expect(outcome).toEqual({ outcome: 'delivered', answer: `${gone}: connection refused at connect; ${one.url}: 200; ${two.url}: 500 busy` })
  expect([one.received.length, two.received.length]).toEqual([1, 1])
})

test('where none accepts it, the message is retried as long as one failure is temporary', async () => {
  const [busy, broken] = [await channelReceiver(answers(503)), await channelReceiver(answers(404))]
  expect(await send([broken.url, busy.url])).toMatchObject({ outcome: 'retry' })
  expect(await send([broken.url])).toMatchObject({ outcome: 'broken' })
})

test('an alert ends five minutes after it was last sent, or when its subject recovered', async () => {
  const { url, received } = await channelReceiver(answers(200, { body: '' }))
  const endOf = async (message: AlertMessage, now: number) => {
    await send([url], message, now)
    return (JSON.parse(received.at(-1)?.body ?? '') as { labels: unknown; endsAt: string }[])[0]
  }
  const [first, repeated] = [await endOf(opened, noon), await endOf(opened, noon + 60_000)]
  const closed = await endOf(exampleMessage('close', { id: 'msg-2', now: noon + 90_000 }), noon + 100_000)
  expect(first?.endsAt).toBe('2026-11-17T12:05:00.000Z')
  expect(repeated?.endsAt).toBe('2026-11-17T12:06:00.000Z')
  expect(closed?.endsAt).toBe('2026-11-17T12:01:30.000Z')
  expect(closed?.labels).toEqual(first?.labels)
})

test('alerts are repeated before they expire', () => {
  expect(alertmanager.repeatEveryMs).toBe(60_000)
})
