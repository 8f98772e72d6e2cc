import type { FastifyRequest } from 'fastify'
import { apiError } from '../../errors.ts'

/** Content type parser for routes that parse the raw bytes themselves. */
export const passBytes = async (_: FastifyRequest, body: Buffer) => body

export function bytesOf({ body }: FastifyRequest): Buffer {
  if (!(body instanceof Buffer) || body.length === 0) throw apiError('INVALID_BODY', { reason: 'The body is empty.' })
  return body
}
