import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { reservePort } from './engines/ports.ts'

test.runIf(process.platform === 'linux')('ports reserved concurrently differ, and engines can listen on them', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, reservePort))
  expect(new Set(ports).size).toBe(50)
  for (const port of ports.slice(0, 5)) {
    const server = createServer()
    onTestFinished(() => void server.close())
    await once(server.listen(port, '127.0.0.1'), 'listening')
  }
})
