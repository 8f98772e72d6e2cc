import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Posts over keep-alive connections with one request at a time each. Runs in a separate process, so that only the server is measured. */
export type Order = {
  readonly port: number
  readonly headers: Readonly<Record<string, string>>
  readonly connections: number
  readonly seconds: number
  /** Rows per body. */
  readonly rows: number
  /** Bodies per second in total; unlimited if missing. */
  readonly pace?: number
  readonly checkId: string
  /** Start time of the first row; rows are a millisecond apart. */
  readonly from: number
}
export type Tally = { readonly rowsPerSecond: number; readonly refused: number }

process.on('message', async (order: Order) => {
  process.send?.(await post(order))
})

async function post(order: Order): Promise<Tally> {
  const { port, connections, seconds, rows, pace } = order
  const nextPost = posts(order)
  const tally = { accepted: 0, refused: 0 }
  const begun = performance.now()
  const until = begun + seconds * 1000
  const sockets = await Promise.all(Array.from({ length: connections }, () => connected(port)))
  const free = [...sockets]
  const send = (socket: Socket) => socket.write(nextPost(), 'latin1')
  const again = pace === undefined ? send : (socket: Socket) => free.push(socket)
  const paced =
    pace === undefined
      ? null
      : setInterval(() => {
          const due = ((performance.now() - begun) * pace) / 1000
          for (let sent = tally.accepted + tally.refused + connections - free.length; sent < due && free.length > 0; sent++)
            send(free.shift() as Socket)
        }, 1)
  for (const socket of sockets) listen(socket, tally, again)
  if (pace === undefined) for (const socket of sockets) send(socket)
  await sleep(until - performance.now())
  clearInterval(paced ?? undefined)
  for (const socket of sockets) socket.destroy()
  return { rowsPerSecond: (tally.accepted * rows) / ((performance.now() - begun) / 1000), refused: tally.refused }
}

async function connected(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  return socket
}

/** Counts each response and reuses the connection. Avoids promises, since client CPU time is taken from the server. */
function listen(socket: Socket, tally: { accepted: number; refused: number }, again: (socket: Socket) => void): void {
  let received = ''
  socket.on('data', (piece) => {
    received += piece.toString('latin1')
    if (!isWhole(received)) return
    if (received.startsWith('HTTP/1.1 200') && received.endsWith('"rejected":[]}')) tally.accepted++
    else tally.refused++
    received = ''
    again(socket)
  })
}

function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  const length = /content-length: (\d+)/i.exec(text)?.[1]
  return end !== -1 && text.length >= end + 4 + Number(length)
}

/** Requests with distinct rows. Requests with many rows are built in advance. */
function posts({ rows, checkId, from, seconds, headers }: Order): () => string {
  let at = from
  const fields = Object.entries({ host: 'bench', 'content-type': 'application/x-ndjson', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  const head = `POST /v1/check-results HTTP/1.1\r\n${fields.join('')}content-length: `
  const row = () =>
    `{"checkId":"${checkId}","startedAt":${at++},"runLocation":"eu-west-1","hasFailures":false,"attempts":1,"responseTime":129.7,"dns":18.3,"firstByte":55.1,"download":12.4}\n`
  const make = () => {
    const body = rows === 1 ? row() : Array.from({ length: rows }, row).join('')
    return `${head}${body.length}\r\n\r\n${body}`
  }
  if (rows === 1) return make
  const ready = Array.from({ length: seconds * 300 }, make).reverse()
  return () => ready.pop() ?? make()
}
