import compress from '@fastify/compress'
import type { FastifyInstance, onSendHookHandler } from 'fastify'

/** In bytes. */
const shortest = 1024

/** Compresses what is long for those who ask for it; all other answers pass by. */
export async function installCompression(app: FastifyInstance): Promise<void> {
  await app.register(compress, { globalDecompression: false, encodings: ['br', 'gzip'], threshold: shortest })
  app.addHook('onRoute', (route) => {
    const hooks = [route.onSend ?? []].flat()
    const own = route.compress === false ? undefined : hooks.pop()
    if (own) route.onSend = [...hooks, whereWorthIt(own)]
  })
}

/** The plugin, whose hook is the last of a route, would look closely at every answer before it left it as it is. */
function whereWorthIt(hook: onSendHookHandler): onSendHookHandler {
  return function (request, reply, payload, done) {
    if (request.headers['accept-encoding'] === undefined || isShort(payload)) done(null, payload)
    else hook.call(this, request, reply, payload, done)
  }
}

function isShort(payload: unknown): boolean {
  return typeof payload === 'string' && Buffer.byteLength(payload) < shortest
}
