import { connect } from 'node:net'

const ok = Buffer.from('HTTP/1.1 200 ')
const largestAnswer = 2 ** 20

type Waiting = { readonly resolve: (answer: Buffer) => void; readonly reject: (problem: Error) => void }

/**
 * Asks over one keep-alive connection, one question at a time, with as little of its own as can be, since the server is measured:
 * it reads into the same memory each time, and looks no further than the length of the answer.
 */
export function openClient(url: string, headers: Readonly<Record<string, string>>) {
  const answer = Buffer.alloc(largestAnswer)
  let received = 0
  let waiting: Waiting | null = null
  const end = (problem: Error) => {
    waiting?.reject(problem)
    waiting = null
  }
  const receive = (bytes: number, buffer: Uint8Array) => {
    answer.set(buffer.subarray(0, bytes), received)
    received += bytes
    if (received < lengthOf(answer, received)) return true
    const whole = answer.subarray(0, received)
    const { resolve, reject } = waiting as Waiting
    waiting = null
    if (whole.subarray(0, ok.length).equals(ok)) resolve(whole)
    else reject(new Error(String(whole)))
    return true
  }
  const onread = { buffer: Buffer.alloc(65_536), callback: receive }
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', noDelay: true, onread })
  socket.on('error', end).on('close', () => end(new Error('The server has closed the connection.')))
  const head = Object.entries({ host: 'bench', ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')

  return {
    /** The whole answer, headers and all; to be read before the next question. */
    ask: (path: string): Promise<Buffer> =>
      new Promise((resolve, reject) => {
        received = 0
        waiting = { resolve, reject }
        socket.write(`GET ${path} HTTP/1.1\r\n${head}\r\n`)
      }),
    close: () => socket.destroy(),
  }
}

/** The bytes of a whole answer, once its headers are there. */
function lengthOf(answer: Buffer, received: number): number {
  const end = answer.subarray(0, received).indexOf('\r\n\r\n')
  if (end < 0) return Number.POSITIVE_INFINITY
  return end + 4 + Number(/content-length: (\d+)/i.exec(answer.toString('latin1', 0, end))?.[1] ?? 0)
}
