import { connect } from 'node:net'

const ok = Buffer.from('HTTP/1.1 200 ')

/** Asks over one keep-alive connection, one question at a time, with as little of its own as can be: the server is measured. */
export function openClient(url: string, headers: Readonly<Record<string, string>>) {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', noDelay: true })
  const head = Object.entries({ host: 'bench', ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  let turn: Promise<unknown> = Promise.resolve()
  socket.once('end', () => socket.destroy(new Error('The server has closed the connection.')))
  socket.on('error', () => {})

  const exchange = (path: string): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const pieces: Buffer[] = []
      let wanted = Number.POSITIVE_INFINITY
      let received = 0
      const onData = (piece: Buffer) => {
        pieces.push(piece)
        received += piece.length
        if (wanted === Number.POSITIVE_INFINITY) wanted = lengthOf(pieces.length === 1 ? piece : Buffer.concat(pieces))
        if (received < wanted) return
        socket.off('data', onData).off('error', reject)
        const answer = pieces.length === 1 ? piece : Buffer.concat(pieces)
        if (answer.subarray(0, ok.length).equals(ok)) resolve(answer)
        else reject(new Error(`${path}: ${answer}`))
      }
      if (socket.destroyed) return reject(new Error('The connection is closed.'))
      socket.on('data', onData).once('error', reject)
      socket.write(`GET ${path} HTTP/1.1\r\n${head}\r\n`)
    })

  return {
    /** The whole answer, headers and all. */
    ask(path: string): Promise<Buffer> {
      const answer = turn.then(() => exchange(path))
      turn = answer.catch(() => {})
      return answer
    },
    close: () => socket.destroy(),
  }
}

/** The bytes of a whole answer, once its headers are there. */
function lengthOf(received: Buffer): number {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return Number.POSITIVE_INFINITY
  return end + 4 + Number(/content-length: (\d+)/i.exec(received.toString('latin1', 0, end))?.[1] ?? 0)
}
