import { expect, test } from 'vitest'
import { recordingLog } from '../../test/support/log.ts'
import { systemClock } from '../runner/clock.ts'
import { createAssignments } from './assignments.ts'
import { Refusal } from './refusal.ts'

const asking = (status: number, body: string) =>
  createAssignments({
    location: 'eu',
    connection: { send: async () => ({ status, body, headers: new Headers() }) },
    clock: systemClock,
    log: recordingLog(),
    report: null,
  }).fetch()

test.each([
  ['a page of another site', 200, '<!doctype html><title>Sign in</title>'],
  ['an answer of another program', 200, '{"status": "ok"}'],
  ['a missing base path', 404, 'not found'],
])('%s is no answer of Tidemark, and said to be so', async (_, status, body) => {
  await expect(asking(status, body)).rejects.toThrow(
    `The server answered ${status}: this is no answer of Tidemark. Check the address of the server, with its base path, and proxies on the way.`,
  )
})

test('a refusal has the words of the server, and tells whether it lasts', async () => {
  const body = JSON.stringify({ code: 'UNSUPPORTED_PROTOCOL', message: 'The agent speaks protocol 2, this server 1. Upgrade the server.' })
  const refusal = await asking(400, body).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(Refusal)
  expect(refusal).toMatchObject({ message: expect.stringContaining('Upgrade the server.'), isLasting: true })
  expect(await asking(503, '{"message": "Later."}').catch((error: unknown) => error)).toMatchObject({ isLasting: false })
})
