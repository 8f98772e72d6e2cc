// @slow
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { checkTypes } from '../../src/checks/registry.ts'
import { configuredFolder } from '../support/command.ts'
import { type ServerProcess, serve } from '../support/server-process.ts'

const [type] = checkTypes
const json = { 'content-type': 'application/json' }
const lines = { 'content-type': 'application/x-ndjson' }
const gzip = { ...json, 'content-encoding': 'gzip' }
const mebibyte = Buffer.alloc(1_048_576, 0x20)

/** Ten gzip members, which are inflated as one. */
const bomb = Buffer.concat(new Array(10).fill(gzipSync(Buffer.alloc(100_000_000))))

const attacks: Readonly<Record<string, { readonly headers: Record<string, string>; readonly body: () => Buffer | Readable }>> = {
  'malformed gzip': { headers: gzip, body: () => Buffer.from('not gzip') },
  'cut off gzip': { headers: gzip, body: () => gzipSync('['.padEnd(100_000)).subarray(0, 60) },
  'a gzip bomb of 1 GB': { headers: gzip, body: () => bomb },
  '40 MB of JSON': { headers: json, body: () => Readable.from(repeated(mebibyte, 40)) },
  'one endless line': { headers: lines, body: () => Readable.from(repeated(Buffer.alloc(1_048_576, 0x61), 40)) },
  'invalid UTF-8': { headers: json, body: () => Buffer.from([0x5b, 0x22, 0xc3, 0x28, 0x22, 0x5d]) },
  'deep nesting': { headers: json, body: () => Buffer.alloc(8_000_000, 0x5b) },
  'nested objects': { headers: json, body: () => Buffer.from('[{"a":'.repeat(1_000_000)) },
  'a small body that is not JSON': { headers: json, body: () => Buffer.from('[{') },
  'a small body of too many rows': { headers: lines, body: () => Buffer.from('1\n'.repeat(10_001)) },
  'a million small rows': { headers: json, body: () => Buffer.from(`[${'{},'.repeat(1_000_000)}{}]`) },
}

test('hostile bodies are rejected, other requests are still served, and memory is released', async () => {
  const server = await serve(configuredFolder({ rateLimit: { requests: 1_000_000, per: '1s' } }))
  let accepted = 0
  let going = true
  const wellBehaved = (async () => {
    while (going) accepted += (await server.post([row(accepted)])).accepted
  })()
  await sleep(300)
  const before = residentMegabytes(server.pid)
  for (const [name, { headers, body }] of Object.entries(attacks)) {
    const statuses = [await send(server, headers, body()), await sendWithLength(server, headers, body())]
    for (const status of statuses) expect([name, status >= 400 && status < 500]).toEqual([name, true])
  }
  for (const sent of [0, 10, 5000]) for (const promised of [20_000, 100_000]) await stopHalfWay(server, sent, promised)
  const after = await settledMegabytes(server.pid, before + 150)
  expect(after).toBeLessThan(before + 150)
  going = false
  await wellBehaved
  expect(accepted).toBeGreaterThan(0)
  const url = `${server.url}/v1/analytics/${type?.path}/${type?.path}?metrics=availability`
  expect(await (await fetch(url, { headers: server.headers })).json()).toMatchObject({ series: [{ data: [{ total: accepted }] }] })
  console.log(`hostile bodies: ${before} MB before, ${after} MB after, ${accepted} well-behaved posts in the meantime, none rejected`)
}, 300_000)

function row(i: number) {
  return { checkId: type?.path, startedAt: Date.now() - 3_600_000 + i, runLocation: 'eu', hasFailures: false }
}

/** The status of the response to a chunked body, even if it is sent before the end of the body. */
async function send({ url, headers }: ServerProcess, more: Record<string, string>, body: Buffer | Readable): Promise<number> {
  const outgoing = request(`${url}/v1/check-results`, { method: 'POST', headers: { ...headers, ...more } })
  const answered = new Promise<number>((resolve, reject) => {
    outgoing.on('response', (response) => resolve(response.resume().statusCode ?? 0)).on('error', reject)
  })
  Readable.from(body instanceof Readable ? body : [body]).pipe(outgoing)
  return answered
}

/** The same body with a Content-Length: small ones of these are answered before the router. */
async function sendWithLength(server: ServerProcess, more: Record<string, string>, body: Buffer | Readable): Promise<number> {
  const whole = Buffer.concat(body instanceof Readable ? await body.toArray() : [body])
  return send(server, { ...more, 'content-length': String(whole.length) }, whole)
}

function* repeated(chunk: Buffer, times: number): Generator<Buffer> {
  for (let i = 0; i < times; i++) yield chunk
}

/** Announces a long body, sends part of it, and disconnects. */
async function stopHalfWay({ url, headers }: ServerProcess, sent: number, promised: number): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).on('error', () => {})
  const head = Object.entries({ ...headers, ...lines, host: 'x', 'content-length': String(promised) }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  socket.write(`POST /v1/check-results HTTP/1.1\r\n${head.join('')}\r\n${' '.repeat(sent)}`)
  await sleep(100)
  socket.destroy()
}

function residentMegabytes(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kilobytes ?? 0) / 1024)
}

/** Memory is released when the garbage collector runs, not at once. */
async function settledMegabytes(pid: number, wanted: number): Promise<number> {
  for (let tries = 0; tries < 60 && residentMegabytes(pid) >= wanted; tries++) await sleep(500)
  return residentMegabytes(pid)
}
