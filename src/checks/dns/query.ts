import { createSocket, type Socket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { ProbeFault } from '../probe/failures.ts'
import { connectFirst } from '../probe/net/connect.ts'
import { isAnswerTo, isTruncated } from './message.ts'
import type { NameServer } from './name-server.ts'

type QueryOptions = {
  readonly server: NameServer
  readonly protocol: 'UDP' | 'TCP'
  readonly signal: AbortSignal
  readonly onNote: (note: string) => void
}

const resendMs = 2000

/** Sends a query and returns the matching response; a truncated UDP response is retried over TCP. */
export async function sendQuery(question: Buffer, options: QueryOptions): Promise<Buffer> {
  if (options.protocol === 'TCP') return overTcp(question, options)
  const answer = await overUdp(question, options)
  if (!isTruncated(answer)) return answer
  options.onNote('the UDP answer was truncated: retried over TCP')
  return overTcp(question, options)
}

function overUdp(question: Buffer, { server, signal, onNote }: QueryOptions): Promise<Buffer> {
  const socket = createSocket(isIPv6(server.address) ? 'udp6' : 'udp4')
  let resend: NodeJS.Timeout | undefined
  return new Promise<Buffer>((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    socket.once('close', () => signal.removeEventListener('abort', abort))
    socket.on('error', reject)
    socket.on('message', (message) => {
      if (isAnswerTo(message, question)) resolve(message)
    })
    socket.connect(server.port, server.address, (error?: Error) => {
      if (error) return reject(error)
      catching(() => sendTo(socket, server, question), reject)
      resend = setInterval(() => {
        onNote(`no answer after ${resendMs.toLocaleString('en-US')} ms: query resent`)
        socket.send(question)
      }, resendMs)
    })
  }).finally(() => {
    clearInterval(resend)
    socket.close()
  })
}

/** A connected datagram socket receives from its server only; the address policy is applied to the connected address. */
function sendTo(socket: Socket, { admit }: NameServer, question: Buffer): void {
  admit(socket.remoteAddress().address)
  socket.send(question)
}

function catching(act: () => void, onError: (error: unknown) => void): void {
  try {
    act()
  } catch (error) {
    onError(error)
  }
}

async function overTcp(question: Buffer, { server, signal }: QueryOptions): Promise<Buffer> {
  const socket = await connectFirst([server.address], server.port, { admit: server.admit, signal })
  const abort = () => socket.destroy(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    const length = Buffer.alloc(2)
    length.writeUInt16BE(question.length)
    socket.write(Buffer.concat([length, question]))
    let received = Buffer.alloc(0)
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      received = Buffer.concat([received, chunk])
      const end = received.length < 2 ? Number.POSITIVE_INFINITY : 2 + received.readUInt16BE(0)
      if (received.length < end) continue
      const message = received.subarray(2, end)
      if (isAnswerTo(message, question)) return message
      throw new ProbeFault('the answer does not match the query')
    }
    throw new ProbeFault('the connection was closed before an answer arrived')
  } finally {
    signal.removeEventListener('abort', abort)
    socket.destroy()
  }
}
