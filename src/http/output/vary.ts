import type { FastifyReply } from 'fastify'

/** Adds request headers on which an answer depends, such as `Accept, Origin`, to those that are named already. */
export function addVary(reply: FastifyReply, names: string): void {
  const named = reply.getHeader('vary')
  reply.header('vary', named === undefined ? names : [...new Set(`${named}, ${names}`.split(', '))].join(', '))
}
