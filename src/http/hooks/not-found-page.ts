import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { escapeMarkup } from '../../text/escape-markup.ts'
import { addVary } from '../output/vary.ts'
import type { BasePath } from '../server/base-path.ts'

/** Sends browsers a page in place of the error that other clients get; false for those. */
export function createNotFoundPage(basePath: BasePath): (request: FastifyRequest, reply: FastifyReply) => boolean {
  const page = notFoundPage(basePath)
  return (request, reply) => {
    if (!isBrowser(request)) return false
    addVary(reply, 'Accept')
    reply.code(404).headers({ 'content-security-policy': policy, 'cache-control': 'no-store' }).type('text/html; charset=utf-8').send(page)
    return true
  }
}

function isBrowser({ method, headers }: FastifyRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  return new Negotiator({ headers }).mediaType(['application/json', 'text/html']) === 'text/html'
}

const style = `
:root { color-scheme: light dark; --ground: #f7f8f8; --text: #17212b; --accent: #0b5c85 }
@media (prefers-color-scheme: dark) { :root { --ground: #0f1519; --text: #e3e9ed; --accent: #7cc4e4 } }
body { max-width: 32rem; margin: 18vh auto 0; padding: 0 20px; background: var(--ground); color: var(--text); font: 14px/1.45 system-ui, sans-serif }
h1 { font-size: 20px }
a { color: var(--accent) }
`

const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; frame-ancestors 'none'`

function notFoundPage(basePath: BasePath): string {
  const base = escapeMarkup(basePath)
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Not found · Tidemark</title><style>${style}</style></head>
<body><main><h1>There is nothing at this address.</h1>
<p><a href="${base}/">All checks</a>, <a href="${base}/slos">the SLOs</a>, or <a href="${base}/docs">the API</a>.</p></main></body></html>
`
}
