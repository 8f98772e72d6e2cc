import { expect, test } from 'vitest'
import { testTransport } from '../../../test/support/channels.ts'
import { httpServer, httpsServer, tcpServer } from '../../../test/support/servers.ts'
import { jsonRequest } from './http.ts'

const never = new AbortController().signal

test('an untrusted certificate means that the channel is broken', async () => {
  let requests = 0
  const port = await httpsServer((_, answer) => {
    requests += 1
    answer.end()
  })
  const sent = testTransport().request(jsonRequest(`https://localhost:${port}/`, {}), never)
  await expect(sent).rejects.toMatchObject({ isBroken: true, message: expect.stringContaining('the TLS certificate') })
  expect(requests).toBe(0)
})

test('reading a response stops after 64 KiB, also if it never ends', async () => {
  const port = await httpServer((_, answer) => {
    answer.writeHead(500)
    const write = () => {
      while (answer.writable && answer.write('x'.repeat(16_384)));
    }
    answer.on('drain', write)
    write()
  })
  const answer = await testTransport().request(jsonRequest(`http://127.0.0.1:${port}/`, {}), never)
  expect(answer.status).toBe(500)
  expect(answer.body).toHaveLength(65_536)
})

test('a response that is not HTTP is an error', async () => {
  const port = await tcpServer((socket) => void socket.end('hello\r\n'))
  await expect(testTransport().request(jsonRequest(`http://127.0.0.1:${port}/`, {}), never)).rejects.toMatchObject({ isBroken: false })
})

test('user and password of a URL are sent as a header, not in the request line', async () => {
  const seen: (string | undefined)[] = []
  const port = await httpServer((request, answer) => {
    seen.push(request.url, request.headers.authorization)
    answer.end()
  })
  await testTransport().request(jsonRequest(`http://user:pass@127.0.0.1:${port}/hook`, {}), never)
  expect(seen).toEqual(['/hook', `Basic ${Buffer.from('user:pass').toString('base64')}`])
})

test('nothing is sent once sending is no longer allowed, even if the connection is open by then', async () => {
  const requests: (string | undefined)[] = []
  const port = await httpServer((request, answer) => {
    requests.push(request.url)
    answer.end()
  })
  // `maySend` is called at the start, before the connection is made, and when it is ready.
  for (const allowed of [0, 1, 2]) {
    let asked = 0
    const transport = testTransport({ maySend: () => asked++ < allowed })
    await expect(transport.request(jsonRequest(`http://127.0.0.1:${port}/${allowed}`, {}), never)).rejects.toMatchObject({
      isBroken: false,
    })
  }
  expect(requests).toEqual([])
  const transport = testTransport({ maySend: () => false })
  await expect(transport.connect({ hostname: '127.0.0.1', port }, never)).rejects.toMatchObject({ isBroken: false })
})
