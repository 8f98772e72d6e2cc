import type { FastifyReply } from 'fastify'

/** Adds request headers on which an answer depends, such as `Accept, Origin`, to those that are named already. */
export function addVary(reply: FastifyReply, names: string): void {
  reply.header('vary', joinedVary(reply.getHeader('vary'), names))
}

/** Each name once. */
export function joinedVary(named: string | number | readonly string[] | undefined, names: string): string {
  return named === undefined ? names : [...new Set(`${named}, ${names}`.split(', '))].join(', ')
}
