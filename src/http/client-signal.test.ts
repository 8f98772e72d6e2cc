import { once } from 'node:events'
import { request } from 'node:http'
import { fastify } from 'fastify'
import { expect, test } from 'vitest'
import { clientSignal } from './client-signal.ts'

async function listening(answer: (signal: AbortSignal) => Promise<string>) {
  const app = fastify()
  app.get('/', async (_, reply) => answer(clientSignal(reply)))
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return { url, close: () => app.close() }
}

test('a question is aborted when its client disconnects', async () => {
  let aborted: Promise<unknown> = Promise.resolve()
  const { url, close } = await listening(async (signal) => {
    aborted = once(signal, 'abort')
    call.destroy()
    await aborted
    return ''
  })
  const call = request(url).on('error', () => {})
  await new Promise((resolve) => call.on('close', resolve).end())
  await aborted
  await close()
})

test('a question that is answered is not', async () => {
  const signals: AbortSignal[] = []
  const { url, close } = await listening(async (signal) => {
    signals.push(signal)
    return 'fine'
  })
  expect(await (await fetch(url)).text()).toBe('fine')
  await close()
  expect(signals.map(({ aborted }) => aborted)).toEqual([false])
})
