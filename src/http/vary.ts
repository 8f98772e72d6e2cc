import type { FastifyReply } from 'fastify'

/** Adds request headers on which an answer depends to those that are named already. */
export function addVary(reply: FastifyReply, ...names: readonly string[]): void {
  const named = String(reply.getHeader('vary') ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  reply.header('vary', [...new Set([...named, ...names])].join(', '))
}
