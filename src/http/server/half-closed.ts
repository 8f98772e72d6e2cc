import type { ServerResponse } from 'node:http'

const probeMs = 1000

/**
 * A client that has closed its sending side may have gone, or may still wait for its answer: only a write can detect it. Calls `probe`, which writes
 * what such a client ignores, once a second from then on, also where it had closed before; returns what ends that.
 */
export function probeHalfClosed({ socket }: ServerResponse, probe: () => void): () => void {
  let timer: NodeJS.Timeout | undefined
  const start = () => {
    timer = setInterval(probe, probeMs).unref()
  }
  if (socket?.readableEnded) start()
  else socket?.once('end', start)
  return () => {
    clearInterval(timer)
    socket?.off('end', start)
  }
}
