import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** Opens streams of live results and reads them. Runs in a separate process, so that only the server is measured. */
export type StreamOrder = {
  readonly port: number
  readonly headers: Readonly<Record<string, string>>
  readonly checkIds: readonly string[]
}
export type StreamTally = { readonly bytes: number; readonly cut: number }

process.on('message', async (message: StreamOrder | 'stop') => {
  if (message === 'stop') process.send?.(close())
  else process.send?.(await open(message))
})

const sockets: Socket[] = []
let bytes = 0

async function open({ port, headers, checkIds }: StreamOrder): Promise<'open'> {
  const fields = Object.entries({ host: 'bench', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  await Promise.all(
    checkIds.map(async (checkId) => {
      const socket = connect({ port, host: '127.0.0.1', onread: { buffer: Buffer.alloc(65_536), callback: count } })
      sockets.push(socket)
      await once(socket, 'connect')
      socket.write(`GET /v1/check-results/stream?checkId=${checkId} HTTP/1.1\r\n${fields.join('')}\r\n`)
    }),
  )
  return 'open'
}

function count(length: number): boolean {
  bytes += length
  return true
}

function close(): StreamTally {
  const cut = sockets.filter(({ destroyed, readableEnded }) => destroyed || readableEnded).length
  for (const socket of sockets) socket.destroy()
  return { bytes, cut }
}
