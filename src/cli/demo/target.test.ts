// @slow
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { decode, encode } from 'dns-packet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freeTarget, type LiveTarget, startTarget } from './target.ts'

let live: LiveTarget
beforeAll(async () => {
  live = await startTarget(await freeTarget('a-token-of-the-demo'))
})
afterAll(() => live.close())

test('an order can be placed and read again', async () => {
  const placed = await fetch(`${live.target.url}/api/orders`, { method: 'POST', body: '{"item":"lamp"}' })
  expect(placed.status).toBe(201)
  const { id } = (await placed.json()) as { id: number }
  const found = await fetch(`${live.target.url}/api/orders/${id}`)
  expect([found.status, await found.json()]).toEqual([200, { id, item: 'lamp' }])
})

test('the number of orders is limited', async () => {
  await Promise.all(Array.from({ length: 150 }, () => fetch(`${live.target.url}/api/orders`, { method: 'POST' })))
  const { orders } = (await (await fetch(`${live.target.url}/api/orders`)).json()) as { orders: unknown[] }
  expect(orders).toHaveLength(100)
})

test.each(['/', '/products', '/basket'])('%s is a page', async (path) => {
  const page = await fetch(live.target.url + path)
  expect(page.headers.get('content-type')).toContain('text/html')
  expect(await page.text()).toMatch(/^<!doctype html>/)
})

test('the message queue responds to a ping', async () => {
  const socket = connect(live.target.tcpPort, live.target.hostname)
  socket.write('ping\n')
  const [answer] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  expect(answer.toString()).toBe('pong\n')
})

test('the name server resolves the shop, and ignores malformed queries', async () => {
  const socket = createSocket('udp4')
  const { dnsPort, hostname } = live.target
  socket.send(Buffer.from('nonsense'), dnsPort, hostname)
  socket.send(encode({ type: 'query', id: 7, questions: [{ type: 'A', name: 'shop.example' }] }), dnsPort, hostname)
  const [answer] = (await once(socket, 'message')) as [Buffer]
  socket.close()
  expect(decode(answer)).toMatchObject({ id: 7, rcode: 'NOERROR', answers: [{ name: 'shop.example', data: '127.0.0.1' }] })
})

test('a second target uses other ports', async () => {
  const other = await startTarget(await freeTarget('another-token'))
  expect(other.target.url).not.toBe(live.target.url)
  await other.close()
})
