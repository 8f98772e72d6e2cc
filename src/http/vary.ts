import type { FastifyReply } from 'fastify'

/** Adds request headers on which an answer depends to those that are named already. */
export function addVary(reply: FastifyReply, ...names: readonly string[]): void {
  const named = reply.getHeader('vary')
  const all = named === undefined ? names : new Set([...String(named).split(', '), ...names])
  reply.header('vary', [...all].join(', '))
}
