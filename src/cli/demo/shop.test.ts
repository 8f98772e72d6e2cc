import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { minuteMs } from '../../time.ts'
import { createShop, shakyPath } from './shop.ts'

test('coupons are out of order for five minutes of every twenty, so that an alert is sent and recovers', async () => {
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
