import { finished } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { probeHalfClosed } from '../server/client-signal.ts'

/** A response of server-sent events. Bypasses compression, which would delay events. */
export type EventStream = {
  /** False asks to pause until `onDrain`: the client reads too slowly. */
  write(bytes: Uint8Array | string): boolean
  end(): void
}

export const mediaType = 'text/event-stream; charset=utf-8'

type Options = {
  /** A client that has not read written bytes within this time is disconnected. */
  readonly stallMs: number
  readonly onStall: () => void
  readonly onDrain: () => void
  readonly onClose: () => void
}

export function openEventStream(reply: FastifyReply, { stallMs, onStall, onDrain, onClose }: Options): EventStream {
  const { raw } = reply.hijack()
  let stalled: NodeJS.Timeout | undefined
  const headers = { ...reply.getHeaders(), 'content-type': mediaType, 'cache-control': 'no-store', 'x-accel-buffering': 'no' }
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) raw.setHeader(name, value)
  raw.on('drain', () => {
    clearTimeout(stalled)
    stalled = undefined
    onDrain()
  })
  const stopProbing = probeHalfClosed(raw, () => {
    if (!raw.writableNeedDrain && !raw.writableEnded) raw.write(':\n')
  })
  finished(raw, () => {
    clearTimeout(stalled)
    stopProbing()
    onClose()
  })
  return {
    write(bytes) {
      if (raw.destroyed || raw.writableEnded) return false
      const hasRoom = raw.write(bytes)
      if (!hasRoom) {
        stalled ??= setTimeout(() => {
          onStall()
          raw.destroy()
        }, stallMs).unref()
      }
      return hasRoom
    },
    end: () => raw.end(': the stream has ended\n\n'),
  }
}
