// @slow
import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { needing, programMissing } from '../../../test/support/needs.ts'
import { runContext } from '../../../test/support/run-context.ts'
import {
  blackHolePort,
  closedPort,
  expiredCertificate,
  hasIpv6,
  httpServer,
  httpsServer,
  listening,
  slowTlsServer,
  tcpServer,
} from '../../../test/support/servers.ts'
import { addressPolicy } from '../probe/net/addresses.ts'
import { run } from './run.ts'

const curl = needing(await programMissing('curl'))
const after = (ms: number, act: () => void) => setTimeout(act, ms)
const phasesOf = ({ metrics: { responseTime: _, ...phases } }: Awaited<ReturnType<typeof run>>) => phases

describe('timings', () => {
  test('count a slow response as firstByte, and a slow body as download', async () => {
    const port = await httpServer((_, answer) => {
      after(300, () => {
        answer.write('first')
        after(600, () => answer.end('last'))
      })
    })
    const { metrics, failure, fields } = await run({ request: { url: `http://127.0.0.1:${port}/` } }, runContext())
    expect(failure).toBeNull()
    expect(fields).toEqual({ statusCode: 200, sslDaysRemaining: null })
    const { responseTime, firstByte, download } = metrics
    expect((firstByte ?? 0) / (responseTime ?? 0)).toBeGreaterThan(0.25)
    expect((download ?? 0) / (responseTime ?? 0)).toBeGreaterThan(0.5)
    expect(download ?? 0).toBeGreaterThan((firstByte ?? 0) * 1.4)
  })

  test('count slow headers as download from their first byte on', async () => {
    const port = await tcpServer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n')
        after(400, () => socket.end('Last: 1\r\n\r\n'))
      })
    })
    const { metrics } = await run({ request: { url: `http://127.0.0.1:${port}/` } }, runContext())
    expect((metrics.download ?? 0) / (metrics.responseTime ?? 1)).toBeGreaterThan(0.8)
  })

  test('count a slow TLS handshake as firstByte', async () => {
    const port = await slowTlsServer(300, (_, answer) => answer.end('ok'))
    const { metrics, failure } = await run({ request: { url: `https://127.0.0.1:${port}/`, skipTls: true } }, runContext())
    expect(failure).toBeNull()
    expect((metrics.firstByte ?? 0) / (metrics.responseTime ?? 1)).toBeGreaterThan(0.8)
  })

  test('add up: the response time is the sum of the phases, each in whole microseconds', async () => {
    const port = await httpServer((_, answer) => answer.end('ok'))
    const measured = await run({ request: { url: `http://localhost:${port}/`, ipFamily: 'IPv4' } }, runContext())
    const micros = Object.values(phasesOf(measured)).map((ms) => (ms ?? 0) * 1000)
    for (const each of micros) expect(each).toBeCloseTo(Math.round(each), 6)
    expect((measured.metrics.responseTime ?? 0) * 1000).toBeCloseTo(
      micros.reduce((sum, each) => sum + each, 0),
      6,
    )
    expect(measured.metrics.dns).not.toBeNull()
  })

  test('have no lookup for an IP address', async () => {
    const port = await httpServer((_, answer) => answer.end())
    expect((await run({ request: { url: `http://127.0.0.1:${port}/` } }, runContext())).metrics.dns).toBeNull()
  })

  test('match those of curl', curl, async () => {
    const port = await httpServer((_, answer) =>
      after(40, () => {
        answer.write('x'.repeat(1000))
        after(40, () => answer.end())
      }),
    )
    const url = `http://127.0.0.1:${port}/`
    // A busy machine lengthens some of these times and shortens others: what starts a time may be noticed late.
    let agreeing = 0
    for (let round = 0; round < 300 && agreeing < 3; round++) {
      const theirs = await curlFigures(url)
      const { firstByte, download } = (await run({ request: { url } }, runContext())).metrics
      const ours: Figures = [firstByte ?? 0, (firstByte ?? 0) + (download ?? 0)]
      if (ours.every((ms, i) => Math.abs(ms - (theirs[i] ?? 0)) < 20)) agreeing++
    }
    expect(agreeing).toBe(3)
  })
})

/** Milliseconds from the connection to the first byte of the response, and to its last. */
type Figures = readonly [number, number]

async function curlFigures(url: string): Promise<Figures> {
  const format = '%{time_connect} %{time_starttransfer} %{time_total}'
  const { stdout } = await promisify(execFile)('curl', ['--silent', '--output', '/dev/null', '--noproxy', '*', '--write-out', format, url])
  const [connected = 0, firstByte = 0, total = 0] = stdout.split(' ').map((seconds) => Number(seconds) * 1000)
  return [firstByte - connected, total - connected]
}

describe('a run', () => {
  const status = (code: number) => httpServer((_, answer) => answer.writeHead(code).end())

  test.each([
    [200, null],
    [204, null],
    [304, null],
    [404, 'status 404, expected less than 400'],
    [503, 'status 503, expected less than 400'],
  ])('without assertions has a result for status %i', async (code, failure) => {
    const measured = await run({ request: { url: `http://127.0.0.1:${await status(code)}/` } }, runContext())
    expect(measured).toMatchObject({ failure, broken: false, fields: { statusCode: code } })
  })

  test('with shouldFail passes if the status is an error', async () => {
    const failing = await run({ request: { url: `http://127.0.0.1:${await status(500)}/` }, shouldFail: true }, runContext())
    expect(failing.failure).toBeNull()
    const fine = await run({ request: { url: `http://127.0.0.1:${await status(200)}/` }, shouldFail: true }, runContext())
    expect(fine).toMatchObject({ failure: 'status 200, expected 400 or more', broken: false })
  })

  test('with an assertion on the status has no default one', async () => {
    const url = `http://127.0.0.1:${await status(404)}/`
    const expects = (target: number) =>
      run({ request: { url, assertions: [{ source: 'statusCode', comparison: 'equals', target }] } }, runContext())
    expect(await expects(404)).toMatchObject({ failure: null, assertions: [{ text: 'status equals 404', passed: true, actual: '404' }] })
    expect(await expects(200)).toMatchObject({ failure: 'status 404, expected 200', broken: false })
  })
})

describe('redirects', () => {
  const bouncing = (times: number, location = (step: number) => `/${step}`) =>
    httpServer((request, answer) => {
      const step = Number(request.url?.slice(1))
      if (step >= times) return answer.end('there')
      answer.writeHead(302, { location: location(step + 1) }).end()
    })

  test('are followed, and every hop is part of the response time', async () => {
    const port = await httpServer((request, answer) => {
      if (request.url === '/last') return after(150, () => answer.end())
      after(150, () => answer.writeHead(301, { location: '/last' }).end())
    })
    const { metrics, fields, notes } = await run({ request: { url: `http://127.0.0.1:${port}/first` } }, runContext())
    expect(fields?.statusCode).toBe(200)
    expect(metrics.firstByte).toBeGreaterThan(290)
    expect(notes).toEqual([`status 301 redirects to http://127.0.0.1:${port}/last`])
  })

  test('are not followed if the settings say so', async () => {
    const port = await bouncing(1)
    const { fields, failure } = await run({ request: { url: `http://127.0.0.1:${port}/0`, followRedirects: false } }, runContext())
    expect(fields?.statusCode).toBe(302)
    expect(failure).toBeNull()
  })

  test('are followed up to ten times', async () => {
    const ten = await run({ request: { url: `http://127.0.0.1:${await bouncing(10)}/0` } }, runContext())
    expect(ten.failure).toBeNull()
    const endless = await run({ request: { url: `http://127.0.0.1:${await bouncing(Number.POSITIVE_INFINITY)}/0` } }, runContext())
    expect(endless).toMatchObject({ failure: 'more than 10 redirects', broken: true, fields: { statusCode: null } })
  })

  test('are not followed to another protocol', async () => {
    const port = await bouncing(1, () => 'file:///etc/passwd')
    const { failure } = await run({ request: { url: `http://127.0.0.1:${port}/0` } }, runContext())
    expect(failure).toBe('redirected to an address that is not http or https')
  })

  test('are not followed to a denied address', async () => {
    const port = await bouncing(1, () => 'http://[::ffff:169.254.169.254]/latest/meta-data')
    const { failure } = await run({ request: { url: `http://127.0.0.1:${port}/0` } }, runContext())
    expect(failure).toBe('the address ::ffff:a9fe:a9fe is not allowed for checks')
  })
})

describe('addresses', () => {
  test.each([
    'http://169.254.169.254/',
    'http://0xa9fea9fe/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[fe80::1]/',
  ])('%s is not connected to', async (url) => {
    const measured = await run({ request: { url } }, runContext())
    expect(measured.failure).toMatch(/^the address \S+ is not allowed for checks$/)
    expect(measured).toMatchObject({ broken: true, metrics: { tcp: null, responseTime: null } })
  })

  test('a hostname that resolves to a denied address is not connected to', async () => {
    const port = await httpServer((_, answer) => answer.end())
    const admit = addressPolicy({ allow: [], deny: ['127.0.0.0/8', '::1'] })
    const { failure } = await run({ request: { url: `http://localhost:${port}/` } }, runContext({ admit }))
    expect(failure).toMatch(/is not allowed for checks$/)
  })

  test('the address that the socket connects to is the one that is checked', async () => {
    let called = false
    const port = await httpServer((_, answer) => {
      called = true
      answer.end()
    })
    const admit = addressPolicy({ allow: ['0.0.0.0'], deny: ['127.0.0.1'] })
    const { failure } = await run({ request: { url: `http://0.0.0.0:${port}/` } }, runContext({ admit }))
    expect(failure).toBe('the address 127.0.0.1 is not allowed for checks')
    expect(called).toBe(false)
  })

  test.skipIf(!hasIpv6)('an address family can be chosen', async () => {
    const port = await httpServer((_, answer) => answer.end(), '::1')
    const url = `http://[::1]:${port}/`
    expect((await run({ request: { url, ipFamily: 'IPv6' } }, runContext())).failure).toBeNull()
    expect((await run({ request: { url, ipFamily: 'IPv4' } }, runContext())).failure).toBe('::1 is not an IPv4 address')
  })
})

describe('certificates', () => {
  const url = async (options?: typeof expiredCertificate) =>
    `https://127.0.0.1:${await httpsServer((_, answer) => answer.end('ok'), options)}/`

  test('an untrusted one is a failure, and its expiry is still reported', async () => {
    const { failure, fields, broken } = await run({ request: { url: await url() } }, runContext())
    expect({ failure, broken }).toEqual({ failure: 'the TLS certificate is self-signed', broken: true })
    expect(fields?.sslDaysRemaining).toBeGreaterThan(30_000)
  })

  test('an expired one is a failure, and its expiry is reported', async () => {
    const { failure, fields } = await run({ request: { url: await url(expiredCertificate) } }, runContext())
    expect(failure).toMatch(/^the TLS certificate (has expired|is self-signed)$/)
    expect(fields?.sslDaysRemaining).toBeLessThan(-365)
  })

  test('remaining days can be asserted', async () => {
    const asserted = async (address: string, target: number) =>
      run(
        { request: { url: address, skipTls: true, assertions: [{ source: 'certificateDays', comparison: 'greaterThan', target }] } },
        runContext(),
      )
    expect((await asserted(await url(), 30)).failure).toBeNull()
    expect((await asserted(await url(expiredCertificate), 14)).failure).toMatch(/^certificate days left -\d+, expected more than 14$/)
    const plain = `http://127.0.0.1:${await httpServer((_, answer) => answer.end())}/`
    expect((await asserted(plain, 14)).failure).toBe('certificate days left nothing, expected more than 14')
  })

  test('any certificate is accepted with skipTls', async () => {
    const { failure, fields } = await run({ request: { url: await url(), skipTls: true } }, runContext())
    expect(failure).toBeNull()
    expect(fields?.statusCode).toBe(200)
  })

  test('no request is sent to an untrusted server', async () => {
    let requests = 0
    const port = await httpsServer((_, answer) => {
      requests++
      answer.end()
    })
    await run({ request: { url: `https://127.0.0.1:${port}/` } }, runContext())
    expect(requests).toBe(0)
  })
})

describe('a faulty server', () => {
  const impatient = () => runContext({ timeoutMs: 300 })
  const broken = async (url: string, context = runContext()) => {
    const measured = await run({ request: { url, skipTls: true } }, context)
    expect(measured.broken).toBe(true)
    expect(measured.metrics.responseTime).toBeNull()
    return measured.failure
  }

  test('refuses the connection', async () => {
    expect(await broken(`http://127.0.0.1:${await closedPort()}/`)).toBe('connection refused at connect')
  })

  test('has an unknown name', async () => {
    expect(await broken('http://no-such-name.invalid/')).toMatch(
      /^(no IP address found|the name server did not answer) for no-such-name.invalid$|at DNS lookup$/,
    )
  })

  test('hangs before the connection is established', async () => {
    expect(await broken(`http://127.0.0.1:${await blackHolePort()}/`, impatient())).toBe('no answer within 300 ms at connect')
  })

  test('hangs before the TLS handshake', async () => {
    expect(await broken(`https://127.0.0.1:${await tcpServer(() => {})}/`, impatient())).toBe('no answer within 300 ms at TLS handshake')
  })

  test('hangs before the first byte', async () => {
    expect(await broken(`http://127.0.0.1:${await httpServer(() => {})}/`, impatient())).toBe('no answer within 300 ms at first byte')
  })

  test('hangs in its headers', async () => {
    const port = await tcpServer((socket) => void socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nA: ')))
    expect(await broken(`http://127.0.0.1:${port}/`, impatient())).toBe('no answer within 300 ms at download')
  })

  test('sends its body slowly without end', async () => {
    const port = await httpServer((_, answer) => {
      const drip = setInterval(() => answer.write('.'), 20)
      answer.once('close', () => clearInterval(drip))
    })
    expect(await broken(`http://127.0.0.1:${port}/`, impatient())).toBe('no answer within 300 ms at download')
  })

  test('hangs after a redirect', async () => {
    const port = await httpServer((request, answer) => {
      if (request.url === '/') answer.writeHead(302, { location: '/next' }).end()
    })
    expect(await broken(`http://127.0.0.1:${port}/`, impatient())).toBe('no answer within 300 ms at first byte')
  })

  test('sends a body without end, which is read up to the limit with a note', async () => {
    const port = await httpServer((_, answer) => {
      const chunk = Buffer.alloc(256 * 1024, 'x')
      const pour = () => {
        while (!answer.destroyed && answer.write(chunk));
      }
      answer.on('drain', pour)
      pour()
    })
    const { failure, notes, metrics } = await run({ request: { url: `http://127.0.0.1:${port}/` } }, runContext())
    expect(failure).toBeNull()
    expect(notes).toEqual(['the body is longer than 10,485,760 bytes: the rest was not read'])
    expect(metrics.responseTime).not.toBeNull()
  })

  test('sends headers without end', async () => {
    const port = await tcpServer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\n')
        const flood = () => {
          while (!socket.destroyed && socket.write(`X-Flood: ${'x'.repeat(1000)}\r\n`));
        }
        socket.on('drain', flood)
        flood()
      })
    })
    expect(await broken(`http://127.0.0.1:${port}/`)).toMatch(/^the response headers are too long/)
  })

  test('resets the connection at each step', async () => {
    const onRequest = await tcpServer((socket) => void socket.once('data', () => socket.resetAndDestroy()))
    expect(await broken(`http://127.0.0.1:${onRequest}/`)).toBe('connection reset by the other side at first byte')
    expect(await broken(`https://127.0.0.1:${onRequest}/`)).toBe('connection reset by the other side at TLS handshake')
    const inBody = await tcpServer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc')
        after(50, () => socket.resetAndDestroy())
      })
    })
    expect(await broken(`http://127.0.0.1:${inBody}/`)).toBe('connection reset by the other side at download')
  })

  test('closes the connection before the body is complete', async () => {
    const port = await tcpServer(
      (socket) => void socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc')),
    )
    expect(await broken(`http://127.0.0.1:${port}/`)).toMatch(/at download$/)
  })

  test('responds with a protocol other than HTTP or TLS', async () => {
    const port = await tcpServer((socket) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n'))
    expect(await broken(`http://127.0.0.1:${port}/`)).toMatch(/^the response is not valid HTTP/)
    expect(await broken(`https://127.0.0.1:${port}/`)).toMatch(/TLS handshake$/)
  })

  test('sends an unsolicited protocol upgrade, after which the connection is closed', async () => {
    const server = createServer()
    const closed = new Promise((resolve) => server.on('connection', (socket) => socket.on('error', () => {}).on('close', resolve)))
    server.on('request', (request) => request.socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'))
    expect(await broken(`http://127.0.0.1:${await listening(server)}/`, impatient())).toBe(
      'the server switched to another protocol unexpectedly',
    )
    await closed
  })

  test('does not delay a run that is aborted', async () => {
    const port = await httpServer(() => {})
    const stopping = new AbortController()
    const running = run({ request: { url: `http://127.0.0.1:${port}/` } }, runContext({ signal: stopping.signal, timeoutMs: 1000 }))
    after(100, () => stopping.abort())
    expect((await running).failure).toBe('no answer within 1,000 ms at first byte')
  })
})
