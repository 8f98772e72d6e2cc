// @slow
import { describe, expect, test } from 'vitest'
import { runContext } from '../../../test/support/run-context.ts'
import { blackHolePort, closedPort, tcpServer } from '../../../test/support/servers.ts'
import { addressPolicy } from '../probe/net/addresses.ts'
import { run } from './run.ts'

const hostname = '127.0.0.1'
const echo = () => tcpServer((socket) => void socket.on('data', (chunk) => socket.write(chunk)))
const silent = () => tcpServer(() => {})
const contains = (target: string) => [{ source: 'responseData', comparison: 'contains', target } as const]

describe('timings', () => {
  test('without data to send have no data phase', async () => {
    const { metrics, failure } = await run({ request: { hostname, port: await silent() } }, runContext())
    expect(failure).toBeNull()
    expect(metrics).toMatchObject({ dns: null, data: null })
    expect(metrics.total).toBe(metrics.connection)
  })

  test('add up: the total is the sum of lookup, connection and data', async () => {
    const request = { hostname: 'localhost', ipFamily: 'IPv4', port: await echo(), data: 'ping' } as const
    const { metrics } = await run({ request }, runContext())
    const sum = [metrics.dns, metrics.connection, metrics.data].reduce<number>(
      (total, ms) => total + Math.round((ms ?? Number.NaN) * 1000),
      0,
    )
    expect(Math.round((metrics.total ?? 0) * 1000)).toBe(sum)
  })

  test('count a slow response as data', async () => {
    const port = await tcpServer((socket) => void socket.on('data', () => setTimeout(() => socket.write('pong'), 200)))
    const { metrics } = await run({ request: { hostname, port, data: 'ping' } }, runContext())
    expect((metrics.data ?? 0) / (metrics.total ?? 1)).toBeGreaterThan(0.8)
  })

  test('exclude the time after the last byte', async () => {
    const request = { hostname, port: await echo(), data: 'ping', assertions: contains('pong') }
    const { metrics, failure } = await run({ request }, runContext())
    expect(failure).toBe('response data "ping", expected to contain "pong"')
    expect(metrics.data).toBeLessThan(900)
  })
})

describe('a run', () => {
  test('reads a response in several packets until it matches the expectation', async () => {
    const port = await tcpServer((socket) => {
      socket.write('220 mail.')
      setTimeout(() => socket.write('example.com ESMTP\r\n'), 100)
    })
    const { failure, assertions } = await run({ request: { hostname, port, assertions: contains('ESMTP') } }, runContext())
    expect(failure).toBeNull()
    expect(assertions).toEqual([
      { text: 'response data contains "ESMTP"', passed: true, actual: JSON.stringify('220 mail.example.com ESMTP\r\n') },
    ])
  })

  test('supports assertions on the response time', async () => {
    const assertions = [{ source: 'responseTime', comparison: 'lessThan', target: 0 } as const]
    const { failure } = await run({ request: { hostname, port: await silent(), assertions } }, runContext())
    expect(failure).toMatch(/^response time [0-9.]+ ms, expected less than 0 ms$/)
  })

  test('needs no response if none is expected', async () => {
    const { failure, metrics } = await run({ request: { hostname, port: await silent(), data: 'to whom it may concern' } }, runContext())
    expect(failure).toBeNull()
    expect(metrics.data).toBeNull()
    expect(metrics.total).not.toBeNull()
  })

  test('with shouldFail passes if the port is closed', async () => {
    const closed = await run({ request: { hostname, port: await closedPort() }, shouldFail: true }, runContext())
    expect(closed).toMatchObject({ failure: null, broken: false, notes: ['connection refused at connect'] })
    const port = await silent()
    const open = await run({ request: { hostname, port }, shouldFail: true }, runContext())
    expect(open).toMatchObject({ failure: `port ${port} accepted the connection, expected it not to`, broken: false })
    const denied = await run({ request: { hostname: '169.254.169.254', port: 80 }, shouldFail: true }, runContext())
    expect(denied.failure).toBe('the address 169.254.169.254 is not allowed for checks')
  })
})

describe('a faulty server', () => {
  const failureOf = async (request: Parameters<typeof run>[0]['request'], context = runContext()) => {
    const measured = await run({ request }, context)
    expect(measured).toMatchObject({ broken: true, metrics: { total: null } })
    return measured.failure
  }

  test('refuses the connection', async () => {
    expect(await failureOf({ hostname, port: await closedPort() })).toBe('connection refused at connect')
  })

  test('sends no response', async () => {
    const request = { hostname, port: await silent(), assertions: contains('hello') }
    expect(await failureOf(request, runContext({ timeoutMs: 250 }))).toBe('no answer within 250 ms at data')
  })

  test('resets the connection', async () => {
    const port = await tcpServer((socket) => void socket.on('data', () => socket.resetAndDestroy()))
    expect(await failureOf({ hostname, port, data: 'x' })).toBe('connection reset by the other side at data')
  })

  test('closes the connection without a response', async () => {
    const port = await tcpServer((socket) => void socket.end())
    const measured = await run({ request: { hostname, port, assertions: contains('hello') } }, runContext())
    expect(measured.failure).toBe('response data "", expected to contain "hello"')
  })

  test('sends data without end', async () => {
    const port = await tcpServer((socket) => {
      const talk = () => {
        while (!socket.destroyed && socket.write('blah '.repeat(1000)));
      }
      socket.on('drain', talk)
      talk()
    })
    const { failure } = await run({ request: { hostname, port, assertions: contains('sense') } }, runContext())
    expect(failure).toMatch(/^response data "blah .*…", expected to contain "sense"$/)
  })

  test('is at a denied address, which is not connected to', async () => {
    const admit = addressPolicy({ allow: ['0.0.0.0'], deny: ['127.0.0.0/8'] })
    const port = await silent()
    expect(await failureOf({ hostname, port }, runContext({ admit }))).toBe('the address 127.0.0.1 is not allowed for checks')
    expect(await failureOf({ hostname: '0.0.0.0', port }, runContext({ admit }))).toBe('the address 127.0.0.1 is not allowed for checks')
  })
})

test('a connection attempt without a reply times out', async () => {
  const request = { hostname, port: await blackHolePort() }
  const { failure, metrics } = await run({ request }, runContext({ timeoutMs: 400 }))
  expect(failure).toBe('no answer within 400 ms at connect')
  expect(metrics).toEqual({ total: null, dns: null, connection: null, data: null })
  const wanted = await run({ request, shouldFail: true }, runContext({ timeoutMs: 400 }))
  expect(wanted).toMatchObject({ failure: null, broken: false })
})
