import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** Below the range from which systems take ephemeral ports. */
const [first, last] = [20_000, 32_000]
/** Listening on a port of this address reserves it; nothing else uses this address. */
const lockAddress = '127.0.0.3'
/** Addresses of engines and of the links to them. */
const addresses = ['127.0.0.1', '127.0.0.2']

/** Reserves a free port while this process runs, so that no other test takes it while its engine restarts. */
export async function reservePort(): Promise<number> {
  const count = last - first
  const start = Math.floor(Math.random() * count)
  for (let i = 0; i < count; i++) {
    const port = first + ((start + i) % count)
    if (await reserve(port)) return port
  }
  throw new Error(`There is no free port from ${first} to ${last}.`)
}

async function reserve(port: number): Promise<boolean> {
  const lock = await listen(lockAddress, port)
  if (!lock) return false
  const isFree = (await Promise.all(addresses.map((address) => isFreeAt(address, port)))).every(Boolean)
  if (isFree) lock.unref()
  else lock.close()
  return isFree
}

async function isFreeAt(address: string, port: number): Promise<boolean> {
  const server = await listen(address, port)
  if (!server) return false
  await once(server.close(), 'close')
  return true
}

/** Null if the port is taken. */
function listen(host: string, port: number): Promise<Server | null> {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(null) : reject(error)))
    server.listen({ host, port, exclusive: true }, () => resolve(server))
  })
}
