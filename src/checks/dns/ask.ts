import { createSocket, type Socket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { ProbeFault } from '../probe/failures.ts'
import { connectFirst } from '../probe/net/connect.ts'
import { answers, isTruncated } from './message.ts'
import type { NameServer } from './name-server.ts'

export type Asking = {
  readonly server: NameServer
  readonly protocol: 'UDP' | 'TCP'
  readonly signal: AbortSignal
  readonly onNote: (note: string) => void
}

const askAgainMs = 2000

/** The message that answers a question; one that is cut over UDP is asked for again over TCP. */
export async function ask(question: Buffer, asking: Asking): Promise<Buffer> {
  if (asking.protocol === 'TCP') return overTcp(question, asking)
  const answer = await overUdp(question, asking)
  if (!isTruncated(answer)) return answer
  asking.onNote('the answer over UDP was cut: asked again over TCP')
  return overTcp(question, asking)
}

function overUdp(question: Buffer, { server, signal, onNote }: Asking): Promise<Buffer> {
  const socket = createSocket(isIPv6(server.address) ? 'udp6' : 'udp4')
  let again: NodeJS.Timeout | undefined
  return new Promise<Buffer>((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    socket.once('close', () => signal.removeEventListener('abort', abort))
    socket.on('error', reject)
    socket.on('message', (message) => {
      if (answers(message, question)) resolve(message)
    })
    socket.connect(server.port, server.address, (error?: Error) => {
      if (error) return reject(error)
      attempt(() => sendTo(socket, server, question), reject)
      again = setInterval(() => {
        onNote(`no answer after ${askAgainMs.toLocaleString('en-US')} ms: asked again`)
        socket.send(question)
      }, askAgainMs)
    })
  }).finally(() => {
    clearInterval(again)
    socket.close()
  })
}

/** A connected datagram socket hears its server alone; where it is connected to is what the address policy is told. */
function sendTo(socket: Socket, { admit }: NameServer, question: Buffer): void {
  admit(socket.remoteAddress().address)
  socket.send(question)
}

function attempt(act: () => void, onError: (error: unknown) => void): void {
  try {
    act()
  } catch (error) {
    onError(error)
  }
}

async function overTcp(question: Buffer, { server, signal }: Asking): Promise<Buffer> {
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
      if (answers(message, question)) return message
      throw new ProbeFault('the answer is not to the question that was asked')
    }
    throw new ProbeFault('the connection was closed before an answer came')
  } finally {
    signal.removeEventListener('abort', abort)
    socket.destroy()
  }
}
