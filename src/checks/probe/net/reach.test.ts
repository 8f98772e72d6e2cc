import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { listening } from '../../../../test/support/servers.ts'
import { reachesAny } from './reach.ts'

const open = { allow: [], deny: [] }
const signal = new AbortController().signal

async function accepting(): Promise<string> {
  const server = createServer((socket) => socket.destroy())
  onTestFinished(() => void server.close())
  return `127.0.0.1:${await listening(server)}`
}

/** A port on which nothing listens any more. */
async function refusing(): Promise<string> {
  const server = createServer()
  const port = await listening(server)
  await new Promise((resolve) => server.close(resolve))
  return `127.0.0.1:${port}`
}

test('one reachable endpoint is enough', async () => {
  expect(await reachesAny([await refusing(), await accepting()], open, signal)).toBe(true)
  expect(await reachesAny([await refusing()], open, signal)).toBe(false)
})

test('an aborted probe has no result', async () => {
  expect(await reachesAny([await accepting()], open, AbortSignal.abort())).toBeNull()
})

test('denied addresses give no result', async () => {
  const denying = { allow: [], deny: ['127.0.0.0/8'] }
  expect(await reachesAny([await accepting()], denying, signal)).toBeNull()
  expect(await reachesAny([await accepting(), '[::1]:1'], denying, signal)).toBe(false)
})
