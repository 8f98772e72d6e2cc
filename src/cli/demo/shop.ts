import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { minuteMs } from '../../time.ts'

/** Calls back after about `typicalMs`, unless the target closes first. */
export type After = (typicalMs: number, act: () => void) => void

type Order = { readonly id: number; readonly item: string }
type Handler = (request: IncomingMessage, response: ServerResponse) => void

const maxOrders = 100

/** Below these paths everything fails, is slow, or fails intermittently, respectively. */
export const brokenPath = '/gift-cards'
export const slowPath = '/search'
export const shakyPath = '/coupons'

/** Down for five minutes of every twenty: soon enough after the start to show an alert, too rarely to count as flapping. */
function isOutOfOrder(openForMs: number): boolean {
  const minute = (openForMs / minuteMs) % 20
  return minute >= 1 && minute < 6
}

export const alertsPath = '/alerts'

/** A shop with three pages and an API for orders. */
export function createShop(after: After, now: () => number): RequestListener {
  const openedAt = now()
  const orders: Order[] = ['lamp', 'chair', 'kettle'].map((item, index) => ({ id: index + 1, item }))
  let lastId = orders.length

  function placeOrder(): Order {
    lastId += 1
    const order = { id: lastId, item: 'lamp' }
    orders.push(order)
    if (orders.length > maxOrders) orders.shift()
    return order
  }

  const routes: Readonly<Record<string, Handler>> = {
    'GET /': (_, response) => sendPage(response, 'Welcome', 'Lamps, chairs and kettles.'),
    'GET /products': (_, response) => sendPage(response, 'Products', 'A lamp that lights.'),
    'GET /basket': (_, response) => sendPage(response, 'Basket', 'Nothing in it yet.'),
    'GET /favicon.ico': (_, response) => response.writeHead(204).end(),
    'GET /api/orders': (_, response) => sendJson(response, 200, { orders }),
    'POST /api/orders': (request, response) => {
      request.resume().on('end', () => sendJson(response, 201, placeOrder()))
    },
    [`POST ${alertsPath}`]: (request, response) => void request.resume().on('end', () => response.writeHead(204).end()),
  }

  return (request, response) => {
    const [asked = '/'] = (request.url ?? '/').split('?', 1)
    if (asked.startsWith(brokenPath)) return after(80, () => sendJson(response, 503, { error: 'Gift cards are being repaired' }))
    const shaky = asked.startsWith(shakyPath)
    if (shaky && isOutOfOrder(now() - openedAt)) return after(80, () => sendJson(response, 503, { error: 'Coupons are out of order' }))
    const slow = asked.startsWith(slowPath)
    const pathname = slow ? asked.slice(slowPath.length) : shaky ? asked.slice(shakyPath.length) : asked
    const handler = routes[`${request.method === 'HEAD' ? 'GET' : request.method} ${pathname}`]
    return after((pathname.startsWith('/api/') ? 80 : 40) * (slow ? 4 : 1), () => {
      if (handler) handler(request, response)
      else sendOrder(response, orders, pathname)
    })
  }
}

function sendOrder(response: ServerResponse, orders: readonly Order[], pathname: string): void {
  const order = orders.find(({ id }) => pathname === `/api/orders/${id}`)
  sendJson(response, order ? 200 : 404, order ?? { error: 'Not Found' })
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

function sendPage(response: ServerResponse, title: string, text: string): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title>
<style>body{font:18px/1.5 sans-serif;margin:3rem auto;max-width:40rem}nav a{margin-right:1rem}</style></head>
<body><nav><a href="/">Welcome</a><a href="/products">Products</a><a href="/basket">Basket</a></nav>
<h1>${title}</h1><p>${text}</p></body>
</html>
`)
}
