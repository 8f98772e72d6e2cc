import type { FastifyReply, FastifyRequest } from 'fastify'
import { escapeMarkup } from '../../text/escape-markup.ts'
import { prefersHtml, sendPlainPage } from '../output/plain-page.ts'
import { addVary } from '../output/vary.ts'
import type { BasePath } from '../server/base-path.ts'

/** Sends browsers a page in place of the error that other clients get; false for those. */
export function createNotFoundPage(basePath: BasePath): (request: FastifyRequest, reply: FastifyReply) => boolean {
  const base = escapeMarkup(basePath)
  const content = `<h1>There is nothing at this address.</h1>
<p><a href="${base}/">All checks</a>, <a href="${base}/slos">the SLOs</a>, or <a href="${base}/docs">the API</a>.</p>`
  return ({ method, headers }, reply) => {
    if ((method !== 'GET' && method !== 'HEAD') || !prefersHtml(headers)) return false
    addVary(reply, 'Accept')
    sendPlainPage(reply.code(404), 'Not found', content)
    return true
  }
}
