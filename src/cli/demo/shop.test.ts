import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { httpServer } from '../../../test/support/servers.ts'
import { minuteMs } from '../../time.ts'
import { createShop, shakyPath } from './shop.ts'

test('coupons fail for five of every twenty minutes, so that an alert opens and closes', async () => {
  const time = { now: 0 }
  const server = createServer(
    createShop(
      (_, act) => act(),
      () => time.now,
    ),
  ).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const statusAt = async (minute: number) => {
    time.now = minute * minuteMs
    return (await fetch(`http://127.0.0.1:${port}${shakyPath}/api/orders`)).status
  }
  const statuses: number[] = []
  for (const minute of [0, 1, 5.9, 6, 20, 21, 26]) statuses.push(await statusAt(minute))
  expect(statuses).toEqual([200, 503, 503, 200, 200, 503, 200])
})

const order = (id: number, item: string) => ({ id, item })
const orders = [order(1, 'lamp'), order(2, 'chair'), order(3, 'kettle')]
const [page, json] = ['text/html; charset=utf-8', 'application/json']

test.each([
  ['GET', '/', 200, page, '<h1>Welcome</h1><p>Lamps, chairs and kettles.</p>', 40],
  ['GET', '/?a=1', 200, page, '<title>Welcome</title>', 40],
  ['GET', '/products', 200, page, '<h1>Products</h1><p>A lamp that lights.</p>', 40],
  ['GET', '/basket', 200, page, '<h1>Basket</h1><p>Nothing in it yet.</p>', 40],
  ['HEAD', '/basket', 200, page, '', 40],
  ['GET', '/favicon.ico', 204, null, '', 40],
  ['GET', '/api/orders', 200, json, JSON.stringify({ orders }), 80],
  ['GET', '/api/orders/2', 200, json, JSON.stringify(order(2, 'chair')), 80],
  ['GET', '/api/orders/9', 404, json, '{"error":"Not Found"}', 80],
  ['GET', '/nowhere', 404, json, '{"error":"Not Found"}', 40],
  ['POST', '/api/orders', 201, json, JSON.stringify(order(4, 'lamp')), 80],
  ['POST', '/alerts', 204, null, '', 40],
  ['GET', '/gift-cards/api/orders', 503, json, '{"error":"Gift cards are being repaired"}', 80],
  ['GET', '/search/basket', 200, page, '<h1>Basket</h1>', 160],
  ['GET', '/search/api/orders/3', 200, json, JSON.stringify(order(3, 'kettle')), 320],
  ['GET', '/coupons/api/orders/1', 200, json, JSON.stringify(order(1, 'lamp')), 80],
])('%s %s returns %i, as %s', async (method, path, status, type, text, typicalMs) => {
  const delays: number[] = []
  const after = (ms: number, act: () => void) => {
    delays.push(ms)
    act()
  }
  const port = await httpServer(createShop(after, () => 0))
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, ...(method === 'POST' && { body: '{}' }) })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([status, type])
  expect(await answer.text()).toContain(text)
  expect(delays).toEqual([typicalMs])
})
