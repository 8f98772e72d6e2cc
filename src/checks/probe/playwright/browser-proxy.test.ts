import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { scriptContext, serving } from '../../../../test/support/scripts.ts'
import type { AddressRules } from '../net/addresses.ts'
import { openBrowserProxy } from './browser-proxy.ts'

test('the response of a server is passed on unchanged', async () => {
  const target = await serving(async (incoming, response) => {
    const body = await text(incoming)
    response
      .writeHead(418, { 'X-Seen': String(incoming.headers['x-asked']), 'Set-Cookie': ['a=1', 'b=2'] })
      .end(`${incoming.method} ${incoming.url} ${body}`)
  })
  const { ask } = await proxied()
  const answer = await ask(`${target}/path?q=1`, {
    method: 'POST',
    headers: { 'X-Asked': 'yes', 'Proxy-Connection': 'keep-alive' },
    body: 'hello',
  })
  expect(answer).toMatchObject({ status: 418, body: 'POST /path?q=1 hello' })
  expect(answer.headers).toMatchObject({ 'x-seen': 'yes', 'set-cookie': ['a=1', 'b=2'] })
})

test('a tunnel carries bytes both ways', async () => {
  const target = await serving((_, response) => response.end('through the tunnel'))
  const { tunnelTo } = await proxied()
  const said = await tunnelTo(new URL(target).host, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  expect(said).toMatch(/^HTTP\/1\.1 200 Connection Established/)
  expect(said).toContain('through the tunnel')
})

test('no request is sent to a denied address, and the browser gets no response', async () => {
  let asked = 0
  const target = await serving((_, response) => response.end(String(asked++)))
  const { ask, tunnelTo, failures } = await proxied({ deny: ['127.0.0.0/8', '::1'] })
  await expect(ask(target)).rejects.toThrow('socket hang up')
  expect(await tunnelTo(new URL(target).host, 'GET / HTTP/1.1\r\n\r\n')).toBe('')
  expect(asked).toBe(0)
  expect(failures()).toEqual([{ host: new URL(target).host, reason: 'the address 127.0.0.1 is not allowed for checks' }])
})

test.each(['localhost', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '2130706433', '0x7f.1'])(
  '%s does not bypass the policy',
  async (hostname) => {
    let asked = 0
    const target = await serving((_, response) => response.end(String(asked++)))
    const { ask } = await proxied({ deny: ['127.0.0.0/8', '::1'] })
    await expect(ask(`http://${hostname}:${new URL(target).port}/`)).rejects.toThrow('socket hang up')
    expect(asked).toBe(0)
  },
)

test('an unreachable server is reported with a reason', async () => {
  const { ask, failures } = await proxied()
  await expect(ask('http://127.0.0.1:9/')).rejects.toThrow('socket hang up')
  expect(failures()).toEqual([{ host: '127.0.0.1:9', reason: 'connection refused at 127.0.0.1:9' }])
})

test('the first twenty unreachable servers are reported', async () => {
  const { ask, failures } = await proxied({ deny: ['127.0.0.0/8'] })
  const ports = Array.from({ length: 21 }, (_, i) => 2000 + i)
  for (const port of ports) await expect(ask(`http://127.0.0.1:${port}/`)).rejects.toThrow('socket hang up')
  expect(failures().map(({ host }) => host)).toEqual(ports.slice(0, 20).map((port) => `127.0.0.1:${port}`))
})

test('a request to the proxy itself is refused', async () => {
  const { url } = await proxied()
  expect((await fetch(url)).status).toBe(400)
})

type Asking = { readonly method?: string; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }

async function proxied(rules: Partial<AddressRules> = {}) {
  const proxy = await openBrowserProxy(scriptContext('/', rules))
  onTestFinished(() => proxy.close())
  const { hostname, port } = new URL(proxy.url)
  const ask = async (target: string, { method = 'GET', headers = {}, body = '' }: Asking = {}) => {
    const asked = request({ host: hostname, port, method, path: target, headers: { ...headers, Host: new URL(target).host } })
    asked.end(body)
    const [answer] = await once(asked, 'response')
    return { status: answer.statusCode, headers: answer.headers, body: await text(answer) }
  }
  const tunnelTo = async (target: string, message: string) => {
    const socket = connect(Number(port), hostname)
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n${message}`)
    return text(socket)
  }
  return { ...proxy, ask, tunnelTo }
}
