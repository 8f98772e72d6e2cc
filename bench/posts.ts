import { connect } from 'node:net'

/** Posts bodies over keep-alive connections, each waiting for its answer before it goes on; its own process, so that only the server is measured. */
export type Order = {
  readonly port: number
  readonly headers: Readonly<Record<string, string>>
  readonly connections: number
  readonly seconds: number
  /** Rows in each body. */
  readonly rows: number
  /** Bodies a second in all; without it, as many as it can. */
  readonly pace?: number
  readonly checkId: string
  /** Rows start at this time, a millisecond apart. */
  readonly from: number
}
export type Tally = { readonly rowsPerSecond: number; readonly refused: number }

process.on('message', async (order: Order) => {
  process.send?.(await post(order))
})

async function post(order: Order): Promise<Tally> {
  const { connections, seconds, rows, pace } = order
  const gapMs = pace === undefined ? 0 : (1000 * connections) / pace
  const nextPost = posts(order)
  const begun = performance.now()
  const until = begun + seconds * 1000
  const tallies = await Promise.all(
    Array.from({ length: connections }, (_, i) =>
      client({ port: order.port, until, gapMs, due: begun + (gapMs * i) / connections, nextPost }),
    ),
  )
  const accepted = tallies.reduce((sum, tally) => sum + tally.accepted, 0)
  const refused = tallies.reduce((sum, tally) => sum + tally.refused, 0)
  return { rowsPerSecond: (accepted * rows) / ((performance.now() - begun) / 1000), refused }
}

type Work = {
  readonly port: number
  readonly until: number
  readonly gapMs: number
  /** When its first post is due. */
  readonly due: number
  readonly nextPost: () => string
}

/** Without promises between a post and the next: what it costs is taken from the server. */
function client({ port, until, gapMs, due, nextPost }: Work): Promise<{ accepted: number; refused: number }> {
  return new Promise((resolve, reject) => {
    const tally = { accepted: 0, refused: 0 }
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let heard = ''
    let next = due
    const send = () => socket.write(nextPost(), 'latin1')
    const goOn = () => {
      if (performance.now() >= until) return socket.destroy()
      next += gapMs
      const wait = next - performance.now()
      return gapMs === 0 || wait <= 0 ? send() : setTimeout(send, wait)
    }
    socket.on('data', (piece) => {
      heard += piece.toString('latin1')
      if (!isWhole(heard)) return
      if (heard.startsWith('HTTP/1.1 200') && heard.endsWith('"rejected":[]}')) tally.accepted++
      else tally.refused++
      heard = ''
      goOn()
    })
    socket.on('connect', () => setTimeout(send, Math.max(0, due - performance.now())))
    socket.on('error', reject).on('close', () => resolve(tally))
  })
}

function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  const length = /content-length: (\d+)/i.exec(text)?.[1]
  return end !== -1 && text.length >= end + 4 + Number(length)
}

/** Whole requests whose rows are all different; those of many rows are made beforehand. */
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
