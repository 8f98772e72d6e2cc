import { connect, type Socket } from 'node:net'

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
  const counts = { answered: 0, refused: 0 }
  const nextBody = bodies(order)
  const begun = performance.now()
  const until = begun + seconds * 1000
  await Promise.all(
    Array.from({ length: connections }, (_, i) => client(order, { until, gapMs, first: (gapMs * i) / connections, counts, nextBody })),
  )
  return { rowsPerSecond: (counts.answered * rows) / ((performance.now() - begun) / 1000), refused: counts.refused }
}

type Work = {
  readonly until: number
  readonly gapMs: number
  readonly first: number
  readonly counts: { answered: number; refused: number }
  readonly nextBody: () => string
}

async function client({ port, headers }: Order, { until, gapMs, first, counts, nextBody }: Work): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const head = Object.entries({ host: 'bench', 'content-type': 'application/x-ndjson', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  let due = performance.now() + first
  while (performance.now() < until) {
    if (gapMs > 0) await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())))
    due += gapMs
    const body = nextBody()
    socket.write(`POST /v1/check-results HTTP/1.1\r\n${head.join('')}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
    const accepted = await answer(socket)
    if (accepted) counts.answered++
    else counts.refused++
  }
  socket.destroy()
}

function answer(socket: Socket): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let text = ''
    const onData = (piece: Buffer) => {
      text += piece.toString('latin1')
      const end = text.indexOf('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
      if (end === -1 || text.length < end + 4 + length) return
      socket.off('data', onData).off('error', reject)
      resolve(text.startsWith('HTTP/1.1 200') && text.includes('"rejected":[]'))
    }
    socket.on('data', onData).once('error', reject)
  })
}

/** Bodies whose rows are all different; those of many rows are made beforehand. */
function bodies({ rows, checkId, from, seconds }: Order): () => string {
  let at = from
  const row = () =>
    `{"checkId":"${checkId}","startedAt":${at++},"runLocation":"eu-west-1","hasFailures":false,"attempts":1,"responseTime":129.7,"dns":18.3,"firstByte":55.1,"download":12.4}\n`
  const make = () => Array.from({ length: rows }, row).join('')
  if (rows === 1) return make
  const ready = Array.from({ length: seconds * 150 }, make).reverse()
  return () => ready.pop() ?? make()
}
