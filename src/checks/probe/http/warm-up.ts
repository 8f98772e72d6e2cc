import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSecureContext } from 'node:tls'
import { httpWatch } from './http-watch.ts'
import { exchangeFollowing } from './redirects.ts'

let warmedUp: Promise<void> | undefined

/** Makes requests to a local server once, so that the first measured run does not include module loading and JIT compilation. */
export function warmUp(): Promise<void> {
  warmedUp ??= callSelf().catch(() => {})
  return warmedUp
}

async function callSelf(): Promise<void> {
  createSecureContext()
  const server = createServer((_, response) => response.end('ok'))
  server.listen(0, 'localhost')
  await once(server, 'listening')
  const url = new URL(`http://localhost:${(server.address() as AddressInfo).port}`)
  const request = { url, method: 'GET', headers: {}, body: null, skipTls: false, ipFamily: undefined }
  const context = { signal: AbortSignal.timeout(1000), admit: () => {} }
  const ignore = () => {}
  const call = () =>
    exchangeFollowing(request, { watch: httpWatch(), context, followRedirects: false, onCertificate: ignore, onRedirect: ignore })
  try {
    for (let turn = 0; turn < 30; turn++) await call()
  } finally {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
}
