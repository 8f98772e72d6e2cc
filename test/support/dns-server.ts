import { createSocket } from 'node:dgram'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type Answer, decode, encode, type Question } from 'dns-packet'
import { onTestFinished } from 'vitest'

export type DnsReply = { readonly answers?: readonly Answer[]; readonly code?: number; readonly truncated?: boolean }
export type ReceivedQuestion = { readonly question: Question; readonly protocol: 'UDP' | 'TCP' }
/** The response; a buffer is sent unchanged, null means no response. */
export type OnQuestion = (asked: ReceivedQuestion) => DnsReply | Buffer | null

/** A name server on one loopback port, over UDP and TCP, until the test ends. */
export async function dnsServer(onQuestion: OnQuestion): Promise<number> {
  const port = await tcpSide(onQuestion)
  const udp = createSocket('udp4')
  udp.on('message', (message, { port: to, address }) => {
    const reply = replyTo(message, 'UDP', onQuestion)
    if (reply) udp.send(reply, to, address)
  })
  await new Promise<void>((resolve) => udp.bind(port, '127.0.0.1', resolve))
  onTestFinished(() => void udp.close())
  return port
}

async function tcpSide(onQuestion: OnQuestion): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', (message) => {
      const reply = replyTo(message.subarray(2), 'TCP', onQuestion)
      if (!reply) return
      const length = Buffer.alloc(2)
      length.writeUInt16BE(reply.length)
      socket.write(length)
      socket.write(reply)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

function replyTo(message: Buffer, protocol: 'UDP' | 'TCP', onQuestion: OnQuestion): Buffer | null {
  const { id = 0, questions: [question] = [] } = decode(message)
  if (!question) return null
  const reply = onQuestion({ question, protocol })
  if (reply === null || Buffer.isBuffer(reply)) return reply
  const { answers = [], code = 0, truncated = false } = reply
  const recursion = 0x0180
  const bytes = encode({ type: 'response', id, flags: recursion | (truncated ? 0x0200 : 0), questions: [question], answers: [...answers] })
  bytes.writeUInt8(bytes.readUInt8(3) | code, 3)
  return bytes
}
