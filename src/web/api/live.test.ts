import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { CheckStatus, State } from './answers.ts'
import { Problem } from './client.ts'
import { type LiveState, startLive } from './live.ts'
import type { Watched } from './news.ts'

const minute = 60_000
const page = Object.assign(new EventTarget(), { visibilityState: 'visible' })
const show = (visibilityState: 'visible' | 'hidden') => {
  page.visibilityState = visibilityState
  page.dispatchEvent(new Event('visibilitychange'))
}
const offline = () => new Problem(0, 'Cannot reach Tidemark.', { isOffline: true })
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-11-14T10:00:00Z') })
  vi.stubGlobal('document', page)
  vi.stubGlobal('addEventListener', vi.fn())
  vi.stubGlobal('removeEventListener', vi.fn())
  page.visibilityState = 'visible'
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const status = (checkId: string, state: State) =>
  [checkId, { checkId, name: checkId, state, locations: [{ runLocation: 'eu', state }] } as unknown as CheckStatus] as const

/** A server with one or more checks, whose streams the test writes to. */
function startServer({ checks = { shop: 'passing' as State }, watched }: { checks?: Record<string, State>; watched?: Watched } = {}) {
  const server = {
    checks: checks as Record<string, State>,
    answers: 'well' as 'well' | 'not' | 'never' | Problem,
    streams: [] as WritableStreamDefaultWriter<Uint8Array>[],
    queries: [] as string[],
    polls: 0,
    attempts: 0,
    refused: [] as Problem[],
    refreshes: [] as string[],
    state: null as LiveState | null,
    lost: 0,
  }
  const answer = async () => {
    if (server.answers === 'never') await new Promise(() => {})
    if (server.answers === 'not') throw offline()
    if (server.answers instanceof Problem) throw server.answers
  }
  const live = startLive({
    async open(query) {
      server.attempts++
      await answer()
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
      server.streams.push(writable.getWriter())
      server.queries.push(query)
      await send('open')
      return new Response(readable)
    },
    async loadStates() {
      server.polls++
      await answer()
      return new Map(Object.entries(server.checks).map(([id, state]) => status(id, state)))
    },
    onChange: (state) => {
      server.state = state
      if (state.lostAt !== null) server.lost++
    },
    refresh: (what) => server.refreshes.push(what),
    onRefused: (problem) => server.refused.push(problem),
  })
  if (watched) live.watch(watched)
  const write = async (text: string) => {
    void server.streams.at(-1)?.write(new TextEncoder().encode(text))
    await pass(0)
  }
  const send = (event: string, data: object = {}) => write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  const heartbeats = async (minutes: number) => {
    for (let quarter = 0; quarter < 4 * minutes; quarter++) {
      await pass(15_000)
      await write(': heartbeat\n\n')
    }
  }
  const result = (checkId: string, hasFailures: boolean) => send('result', { checkId, runLocation: 'eu', hasFailures, isDegraded: false })
  const kill = async () => {
    server.answers = 'not'
    await server.streams
      .at(-1)
      ?.abort(new TypeError('network error'))
      .catch(() => {})
    await pass(0)
  }
  return { server, live, send, heartbeats, result, kill }
}

test('a check that begins to fail updates the states within seconds, in any view', async () => {
  const { server, result, live } = startServer({
    checks: { shop: 'passing', other: 'passing' },
    watched: { checks: new Set(['shop']), alerts: false },
  })
  await pass(10_000)
  server.checks = { shop: 'passing', other: 'failing' }
  await result('other', true)
  await pass(2000)
  expect(server.state?.states?.get('other')?.state).toBe('failing')
  expect(server.refreshes).toEqual([])
  live.stop()
})

test('results without a state change reload only the shown figures, at most every few seconds', async () => {
  const { server, result, live } = startServer({ watched: { checks: new Set(['shop']), alerts: false } })
  await pass(10_000)
  const before = server.polls
  for (let i = 0; i < 50; i++) await result('shop', false)
  await result('elsewhere', false)
  await pass(4000)
  expect([server.polls - before, server.refreshes]).toEqual([1, ['figures']])
  live.stop()
})

test('an idle page polls states once a minute, and reloads everything else every five', async () => {
  const { server, heartbeats, live } = startServer()
  await pass(0)
  await heartbeats(10)
  expect(server.polls).toBeLessThanOrEqual(11)
  expect([server.attempts, server.refreshes]).toEqual([1, ['all', 'all']])
  live.stop()
})

test('a state that changes without a result is shown within a minute', async () => {
  const { server, heartbeats, live } = startServer()
  await pass(0)
  server.checks = { shop: 'unknown' }
  await heartbeats(1)
  await pass(2000)
  expect(server.state?.states?.get('shop')?.state).toBe('unknown')
  live.stop()
})

test('an added or renamed check reloads everything', async () => {
  const { server, heartbeats, live } = startServer()
  await pass(0)
  server.checks = { shop: 'passing', added: 'passing' }
  await heartbeats(1)
  await pass(2000)
  expect(server.refreshes).toEqual(['all'])
  live.stop()
})

test('a hidden page has no stream, and polls once a minute; when shown again it updates at once', async () => {
  const { server, live } = startServer()
  await pass(1000)
  show('hidden')
  const before = server.polls
  server.checks = { shop: 'failing' }
  await pass(5 * minute)
  expect(server.polls - before).toBe(5)
  expect([server.state?.states?.get('shop')?.state, server.attempts, server.refreshes]).toEqual(['failing', 1, []])
  show('visible')
  await pass(0)
  expect([server.polls - before, server.attempts, server.refreshes]).toEqual([6, 2, ['all']])
  live.stop()
})

test.each([10, -60])(
  'a hidden page without timers that is shown again after %i minutes is not offline, and reloads everything once',
  async (minutes) => {
    const { server, live } = startServer()
    await pass(1000)
    show('hidden')
    const before = server.polls
    vi.setSystemTime(Date.now() + minutes * minute)
    show('visible')
    await pass(2000)
    expect([server.lost, server.polls - before, server.attempts, server.refreshes]).toEqual([0, 1, 2, ['all']])
    live.stop()
  },
)

test('a clock that is set back during a poll loses nothing', async () => {
  const { server, live } = startServer()
  await pass(1000)
  server.answers = 'never'
  live.reload()
  vi.setSystemTime(Date.now() - 60 * minute)
  server.answers = 'well'
  await pass(2000)
  expect(server.lost).toBe(0)
  live.stop()
})

test('a killed server is noticed at once, and its return within fifteen seconds, with at most four attempts a minute', async () => {
  const { server, kill, live } = startServer()
  await pass(10_000)
  const at = Date.now()
  await kill()
  await pass(1000)
  expect(server.state?.lostAt).toBe(at)
  await pass(2 * minute)
  const before = server.attempts + server.polls
  await pass(10 * minute)
  expect(server.attempts + server.polls - before).toBeLessThanOrEqual(40)
  expect(server.state?.lostAt).toBe(at)
  server.answers = 'well'
  server.checks = { shop: 'failing' }
  await pass(22_000)
  expect([server.state?.lostAt, server.state?.states?.get('shop')?.state]).toEqual([null, 'failing'])
  expect(server.refreshes).toContain('all')
  live.stop()
})

test('a stream that stalls is reopened; if that takes long, the server counts as lost since its last byte', async () => {
  const { server, heartbeats, live } = startServer()
  await pass(0)
  await heartbeats(1)
  const receivedAt = Date.now()
  await pass(40_000)
  expect([server.attempts, server.state?.lostAt]).toEqual([2, null])
  await heartbeats(1)
  server.answers = 'never'
  const lastByte = Date.now()
  expect(lastByte).toBeGreaterThan(receivedAt)
  await pass(50_000)
  expect(server.state?.lostAt).toBe(lastByte)
  live.stop()
})

test('after sleep everything is reloaded and reopened at once', async () => {
  const { server, live } = startServer()
  await pass(1000)
  const before = server.polls
  vi.setSystemTime(Date.now() + 8 * 60 * minute)
  await pass(1000)
  expect([server.polls - before, server.attempts, server.refreshes]).toEqual([1, 2, ['all']])
  live.stop()
})

test('a clock that is set back does not stop updates', async () => {
  const { server, heartbeats, live } = startServer()
  await pass(1000)
  vi.setSystemTime(Date.now() - 60 * minute)
  const before = server.polls
  await heartbeats(2)
  expect(server.polls - before).toBeGreaterThanOrEqual(2)
  live.stop()
})

test('a revoked key ends the session as soon as the stream ends', async () => {
  const { server, live } = startServer()
  await pass(10_000)
  server.answers = new Problem(401, 'No such key.', { code: 'UNKNOWN_KEY' })
  await server.streams[0]?.close()
  await pass(1000)
  expect(server.refused.map(({ status }) => status)).toContain(401)
  expect(server.state?.lostAt).toBeNull()
  live.stop()
})

test('a proxy that asks for its own login does not end the session', async () => {
  const { server, live } = startServer()
  await pass(10_000)
  server.answers = new Problem(401, 'Tidemark returned 401.')
  await server.streams[0]?.close()
  await pass(120_000)
  expect(server.refused).toEqual([])
  expect(server.state?.problem?.status).toBe(401)
  live.stop()
})

test('without a free stream, the page polls every half minute', async () => {
  const { server, live } = startServer()
  await pass(0)
  live.stop()
  const blind = startServer()
  blind.server.answers = new Problem(429, 'Too many streams.')
  await pass(4 * minute)
  expect(blind.server.state?.lostAt).toBeNull()
  expect(blind.server.attempts + blind.server.polls).toBeLessThanOrEqual(4 * 4)
  expect(server.attempts).toBe(1)
  blind.live.stop()
})

test('a stream that ends immediately is reopened with back-off', async () => {
  const { server, live } = startServer()
  await pass(0)
  for (let i = 0; i < 60; i++) {
    await server.streams
      .at(-1)
      ?.close()
      .catch(() => {})
    await pass(1000)
  }
  expect(server.attempts).toBeLessThanOrEqual(14)
  live.stop()
})

test('in a large account only shown checks are streamed', async () => {
  const many = Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`check-${i}`, 'passing' as State]))
  const { server, live } = startServer({ checks: many, watched: { checks: new Set(['check-7']), alerts: true } })
  await pass(2000)
  expect(server.queries).toEqual(['events=results,alerts&checkId=check-7'])
  live.watch({ checks: 'all', alerts: true })
  await pass(2000)
  expect(server.queries.at(-1)).toBe('events=alerts')
  live.stop()
})
