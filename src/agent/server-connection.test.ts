import { writeFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import { join } from 'node:path'
import { rootCertificates, type TLSSocket } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { certificate, closedPort, httpServer, listening } from '../../test/support/servers.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import type { Env } from '../config.ts'
import { openServerConnection, type TlsFiles, Unreachable } from './server-connection.ts'
import type { TimedExchange } from './server-time.ts'

const pem = (name: string) => fileURLToPath(new URL(`../../test/support/certificates/test-only-${name}.pem`, import.meta.url))
const own = { ca: pem('localhost.cert'), cert: pem('localhost.cert'), certKey: pem('localhost.key') }

async function connect(url: string, { tls = {}, env = {} }: { tls?: TlsFiles; env?: Env } = {}) {
  const keyFile = join(temporaryFolder(), 'key')
  writeFileSync(keyFile, 'tdm_first\n')
  const exchanges: TimedExchange[] = []
  const onExchange = (exchange: TimedExchange) => exchanges.push(exchange)
  const connection = await openServerConnection({ url: new URL(url), keyFile, tls, env, monotonic: () => performance.now(), onExchange })
  onTestFinished(() => connection.close())
  return { connection, exchanges, keyFile }
}

/** A server that responds with the name in the certificate of its client. */
function tlsServer(): Promise<number> {
  const options = { ...certificate, requestCert: true, rejectUnauthorized: false }
  return listening(
    https.createServer(options, (request, response) => {
      response.end(String((request.socket as TLSSocket).getPeerCertificate().subject?.CN))
    }),
  )
}

test('sends the key of its file below the base path, and reports the times of the exchange', async () => {
  const port = await httpServer((request, response) => response.end(`${request.url} ${request.headers.authorization}`))
  const { connection, exchanges, keyFile } = await connect(`http://127.0.0.1:${port}/base`)
  expect(await connection.send('v1/x')).toMatchObject({ status: 200, body: '/base/v1/x Bearer tdm_first' })
  writeFileSync(keyFile, 'tdm_second')
  expect((await connection.send('v1/x')).body).toBe('/base/v1/x Bearer tdm_second')
  expect(exchanges).toHaveLength(2)
  expect(Date.parse(exchanges[0]?.date ?? '')).not.toBeNaN()
})

test('a request is aborted by its signal, and times out', async () => {
  const stop = new AbortController()
  const port = await httpServer(() => stop.abort(new Error('the agent stops')))
  const { connection } = await connect(`http://127.0.0.1:${port}`)
  await expect(connection.send('v1/x', { signal: stop.signal, timeoutMs: 5000 })).rejects.toThrow('the agent stops')
  await expect(connection.send('v1/x', { signal: stop.signal })).rejects.toThrow('the agent stops')
  await expect(connection.send('v1/x', { timeoutMs: 10 })).rejects.toThrow('no answer within 0.01 s')
})

test('trusts a given CA, and presents its client certificate', async () => {
  const port = await tlsServer()
  const trusting = await connect(`https://localhost:${port}`, { tls: own })
  expect((await trusting.connection.send('')).body).not.toBe('undefined')
  const other = await connect(`https://localhost:${port}`)
  await expect(other.connection.send('')).rejects.toThrow('its certificate is not trusted; pass its CA with --ca')
})

/** Makes a proxy tunnel connections to a port of this machine; returns the names that clients asked for. */
function tunnelling(proxy: http.Server, port: number): readonly string[] {
  const asked: string[] = []
  proxy.on('connect', (request, client: net.Socket) => {
    asked.push(request.url ?? '')
    const upstream = net.connect(port, '127.0.0.1', () => client.write('HTTP/1.1 200 OK\r\n\r\n'))
    upstream.pipe(client).pipe(upstream)
    for (const socket of [upstream, client]) socket.on('error', () => {})
  })
  return asked
}

test('uses the proxy of the environment, unless NO_PROXY names the server', async () => {
  const port = await tlsServer()
  const proxy = http.createServer()
  const asked = tunnelling(proxy, port)
  const env = { HTTPS_PROXY: `http://127.0.0.1:${await listening(proxy)}` }
  const proxied = await connect(`https://localhost:${port}`, { tls: own, env })
  expect((await proxied.connection.send('')).status).toBe(200)
  expect(asked).toEqual([`localhost:${port}`])
  const direct = await connect(`https://localhost:${port}`, { tls: own, env: { ...env, NO_PROXY: 'localhost' } })
  expect((await direct.connection.send('')).status).toBe(200)
  expect(asked).toHaveLength(1)
})

test('trusts a given CA for a proxy with TLS, too', async () => {
  const port = await tlsServer()
  const proxy = https.createServer(certificate)
  const asked = tunnelling(proxy, port)
  const env = { HTTPS_PROXY: `https://localhost:${await listening(proxy)}` }
  const { connection } = await connect(`https://localhost:${port}`, { tls: own, env })
  expect((await connection.send('')).status).toBe(200)
  expect(asked).toEqual([`localhost:${port}`])
})

test('trusts the CAs of NODE_EXTRA_CA_CERTS in addition to a given one', async () => {
  const port = await tlsServer()
  const another = join(temporaryFolder(), 'another.pem')
  writeFileSync(another, rootCertificates[0] ?? '')
  const { connection } = await connect(`https://localhost:${port}`, { tls: { ca: another }, env: { NODE_EXTRA_CA_CERTS: own.ca } })
  expect((await connection.send('')).status).toBe(200)
})

test.each([
  ['an invalid CA', { ca: own.certKey }, /--ca .* cannot be used \(ERR_/],
  ['a certificate without its key', { cert: own.cert }, '--cert and --cert-key must be given together.'],
  ['an invalid key', { cert: own.cert, certKey: own.cert }, /--cert .* with --cert-key .* cannot be used \(ERR_/],
])('%s is refused before anything is sent', async (_, tls, words) => {
  await expect(connect('https://localhost', { tls })).rejects.toThrow(words)
})

test.each(['', 'two keys', 'one\nper line', 'Schlüssel'])('a key file with %j is refused, and not quoted in the error', async (text) => {
  const { connection, keyFile } = await connect('http://127.0.0.1:9')
  writeFileSync(keyFile, text)
  const refused = `The key file ${keyFile} must contain one key and nothing else.`
  await expect(connection.send('v1/x')).rejects.toEqual(new Unreachable(refused))
})

test('a server without TLS is distinguished from an unreachable one', async () => {
  const port = await httpServer((_, response) => response.end())
  const { connection } = await connect(`https://127.0.0.1:${port}`)
  await expect(connection.send('')).rejects.toThrow('it does not support TLS there; is it an http address?')
})

test('a proxy that is unreachable or not an address is named in the error', async () => {
  const away = await connect('https://localhost', { env: { HTTPS_PROXY: `http://127.0.0.1:${await closedPort()}` } })
  await expect(away.connection.send('')).rejects.toThrow('cannot be reached (ECONNREFUSED; HTTPS_PROXY is set).')
  await expect(connect('https://localhost', { env: { https_proxy: 'proxy:3128' } })).rejects.toThrow(
    'HTTPS_PROXY is not the address of a proxy',
  )
})

test('a server that refuses connections, or cuts off its response, is unreachable', async () => {
  const away = await connect(`http://127.0.0.1:${await closedPort()}`)
  await expect(away.connection.send('v1/x')).rejects.toThrow(/cannot be reached \(ECONNREFUSED\)/)
  const port = await httpServer((_, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('half')
    setTimeout(() => response.destroy(), 20)
  })
  const cut = await connect(`http://127.0.0.1:${port}`)
  await expect(cut.connection.send('v1/x')).rejects.toThrow(Unreachable)
})
