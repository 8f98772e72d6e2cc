import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { pingKey } from '../../../test/support/example-config.ts'
import { ingestApp, pingToken } from '../../../test/support/ingest-app.ts'

const half = 'x'.repeat(30_000)
const paths = {
  '/v1/check-results': 401,
  '/v1/analytics/query': 401,
  '/v1/analytics/checks': 401,
  '/ping/unknown': 404,
  '/ping/unknown/fail': 404,
  '/ping/unknown/check': 404,
  '/ping/unknown/check/fail': 404,
  [`/ping/${pingKey}`]: 404,
  [`/ping/${pingKey}/unknown`]: 404,
  [`/ping/${pingKey}/unknown/1`]: 404,
  '/nowhere': 401,
}

async function open() {
  const { app } = await ingestApp()
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const socket = connect(Number(port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  return { app, socket }
}

const head = (path: string) =>
  `POST ${path} HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nContent-Length: ${2 * half.length}\r\n\r\n`

test.each(Object.entries(paths))('without a key, POST %s gets a %i before its body has arrived', async (path, status) => {
  const { socket } = await open()
  socket.write(head(path) + half)
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
})

test('a ping with a body gets its response once the whole body has arrived', async () => {
  const { app, socket } = await open()
  const answers: string[] = []
  socket.on('data', (chunk) => answers.push(String(chunk)))
  const arrived = once(app.server, 'request')
  socket.write(head(`/ping/${pingToken}`) + half)
  await arrived
  await answerToAnother(app)
  expect(answers).toEqual([])
  socket.write(half)
  await expect.poll(() => answers.join('')).toMatch(/^HTTP\/1\.1 200 [\s\S]*OK$/)
})

/** Gives earlier requests time to be answered. */
async function answerToAnother(app: FastifyInstance): Promise<void> {
  const { port } = app.server.address() as AddressInfo
  for (let i = 0; i < 3; i++) await fetch(`http://127.0.0.1:${port}/health/live`)
}
