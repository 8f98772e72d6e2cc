import { connect } from 'node:net'

const ok = Buffer.from('HTTP/1.1 200 ')
const maxAnswerBytes = 2 ** 23

type Pending = { readonly resolve: (answer: Buffer) => void; readonly reject: (problem: Error) => void }

/**
 * A minimal HTTP client with one keep-alive connection and one request at a time. It reads into a single buffer and parses only the content
 * length, so that mostly the server is measured.
 */
export function openClient(url: string, headers: Readonly<Record<string, string>>) {
  const answer = Buffer.alloc(maxAnswerBytes)
  let received = 0
  let pending: Pending | null = null
  const fail = (problem: Error) => {
    pending?.reject(problem)
    pending = null
  }
  const receive = (bytes: number, buffer: Uint8Array) => {
    answer.set(buffer.subarray(0, bytes), received)
    received += bytes
    if (received < lengthOf(answer, received)) return true
    const whole = answer.subarray(0, received)
    const { resolve, reject } = pending as Pending
    pending = null
    if (whole.subarray(0, ok.length).equals(ok)) resolve(whole)
    else reject(new Error(String(whole)))
    return true
  }
  const onread = { buffer: Buffer.alloc(65_536), callback: receive }
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', noDelay: true, onread })
  socket.on('error', fail).on('close', () => fail(new Error('The server has closed the connection.')))
  const head = Object.entries({ host: 'bench', ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')

  const send = (request: string): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      received = 0
      pending = { resolve, reject }
      socket.write(request)
    })

  /** Both return the whole response including headers. The buffer is valid until the next request. */
  return {
    get: (path: string) => send(`GET ${path} HTTP/1.1\r\n${head}\r\n`),
    post: (path: string, body: unknown) => {
      const text = JSON.stringify(body)
      const length = Buffer.byteLength(text)
      return send(`POST ${path} HTTP/1.1\r\n${head}content-type: application/json\r\ncontent-length: ${length}\r\n\r\n${text}`)
    },
    close: () => socket.destroy(),
  }
}

/** Length of the whole response; infinite until the headers are complete. */
function lengthOf(answer: Buffer, received: number): number {
  const end = answer.subarray(0, received).indexOf('\r\n\r\n')
  if (end < 0) return Number.POSITIVE_INFINITY
  return end + 4 + Number(/content-length: (\d+)/i.exec(answer.toString('latin1', 0, end))?.[1] ?? 0)
}
