import { expect, onTestFinished, test } from 'vitest'
import { recordingLog } from '../../test/support/log.ts'
import { virtualClock } from '../../test/support/virtual-clock.ts'
import { systemClock } from '../runner/clock.ts'
import { createAssignments } from './assignments.ts'
import { Refusal } from './refusal.ts'
import { Unreachable } from './server-connection.ts'

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
])('%s is reported as not a Tidemark response', async (_, status, body) => {
  await expect(asking(status, body)).rejects.toThrow(
    `The server returned ${status}: not a Tidemark response. Check the server address with its base path, and proxies.`,
  )
})

test('a refusal has the message of the server and tells whether it is permanent', async () => {
  const body = JSON.stringify({ code: 'UNSUPPORTED_PROTOCOL', message: 'The agent speaks protocol 2, this server 1. Upgrade the server.' })
  const refusal = await asking(400, body).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(Refusal)
  expect(refusal).toMatchObject({ message: expect.stringContaining('Upgrade the server.'), isLasting: true })
  expect(await asking(503, '{"message": "Later."}').catch((error: unknown) => error)).toMatchObject({ isLasting: false })
})

test('a 403 for a path outside /v1/agents suggests checking the path of the server address', async () => {
  const message = 'This API key is for agents at eu, and only for /v1/agents and POST /v1/check-results.'
  await expect(asking(403, JSON.stringify({ code: 'AGENT_KEY', message }))).rejects.toThrow(
    `The server returned 403: ${message} Check the path in the address of the server.`,
  )
})

test('reports the state of the agent to the server, also after it was closed, and that it is stopping', async () => {
  const asked: URLSearchParams[] = []
  const send = async (path: string) => {
    asked.push(new URLSearchParams(path.split('?')[1]))
    return { status: 200, body: '{"checks": []}', headers: new Headers() }
  }
  const state = { clockOffsetMs: null, stampsServerTime: false, backlog: 3, agentDropped: 0, canary: null, canaryAgeMs: null }
  const report = () => ({ instance: 'a', name: 'Probe 1', session: 's', version: '0.2.0', ...state })
  const assignments = createAssignments({ location: 'eu', connection: { send }, clock: systemClock, log: recordingLog(), report })
  await assignments.fetch()
  assignments.close()
  await assignments.sayStopping()
  const reported = { protocol: '1', location: 'eu', instance: 'a', name: 'Probe 1', session: 's', version: '0.2.0' }
  const known = { ...reported, stampsServerTime: 'false', backlog: '3', agentDropped: '0' }
  expect(asked.map((query) => Object.fromEntries(query))).toEqual([
    { ...known, wait: '0' },
    { ...known, stopping: 'true' },
  ])
})

test.each([
  [401, true],
  [403, true],
  [404, true],
  [429, false],
  [500, false],
])('whether a refusal of status %i is permanent: %s', async (status, isLasting) => {
  expect(await asking(status, '{}').catch((error: unknown) => error)).toMatchObject({ isLasting })
})

test('after a failure the next request is no long poll, so that a reachable server is noticed at once', async () => {
  const clock = virtualClock(0)
  const waits: (string | null)[] = []
  const outcomes = ['ok', 'away', 'away', 'ok']
  const send = async (path: string) => {
    waits.push(new URLSearchParams(path.split('?')[1]).get('wait'))
    const outcome = outcomes.shift()
    if (outcome === 'away') throw new Unreachable('away')
    if (outcome === undefined) return new Promise<never>(() => {})
    return { status: 304, body: '', headers: new Headers() }
  }
  const assignments = createAssignments({ location: 'eu', connection: { send }, clock, log: recordingLog(), report: null, random: () => 1 })
  onTestFinished(assignments.close)
  assignments.follow(() => {})
  await clock.advance(10_000)
  expect(waits).toEqual(['10', '10', '0', '0', '10'])
})

test.each([
  ['304', 304, ''],
  ['200', 200, '{"checks": []}'],
])('where a proxy ends each long poll at once with %s, the server is polled once a second', async (_, status, body) => {
  const clock = virtualClock(0)
  const askedAt: number[] = []
  const begin = clock.monotonic()
  const send = async () => {
    askedAt.push(clock.monotonic() - begin)
    // Ends the test, not the agent, where polls do not pause.
    return askedAt.length > 100 ? new Promise<never>(() => {}) : { status, body, headers: new Headers() }
  }
  const assignments = createAssignments({ location: 'eu', connection: { send }, clock, log: recordingLog(), report: null })
  onTestFinished(assignments.close)
  assignments.follow(() => {})
  await clock.advance(5000)
  expect(askedAt).toEqual([0, 1000, 2000, 3000, 4000, 5000])
})

test('a long poll that has waited is followed by the next one without a pause', async () => {
  const clock = virtualClock(0)
  const askedAt: number[] = []
  const begin = clock.monotonic()
  const send = async () => {
    askedAt.push(clock.monotonic() - begin)
    await new Promise<void>((resolve) => clock.after(2500, resolve))
    return { status: 304, body: '', headers: new Headers() }
  }
  const assignments = createAssignments({ location: 'eu', connection: { send }, clock, log: recordingLog(), report: null })
  onTestFinished(assignments.close)
  assignments.follow(() => {})
  await clock.advance(6000)
  expect(askedAt).toEqual([0, 2500, 5000])
})

test('a request that is aborted because the agent stops is not logged as a failure of the server', async () => {
  const log = recordingLog()
  const send = (_: string, { signal }: { readonly signal?: AbortSignal } = {}) =>
    new Promise<never>((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Unreachable('aborted'))))
  const clock = virtualClock(0)
  const assignments = createAssignments({ location: 'eu', connection: { send }, clock, log, report: null })
  assignments.follow(() => {})
  const waiting = assignments.fetch()
  assignments.close()
  await expect(waiting).rejects.toThrow('aborted')
  await clock.advance(1000)
  expect(log.entries).toEqual([])
})
