import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply } from 'fastify'
import Negotiator from 'negotiator'
import { escapeMarkup } from '../../text/escape-markup.ts'

const style = `
:root { color-scheme: light dark; --background: #f7f8f8; --text: #17212b; --accent: #0b5c85; --on-accent: #fff }
@media (prefers-color-scheme: dark) { :root { --background: #0f1519; --text: #e3e9ed; --accent: #7cc4e4; --on-accent: #0f1519 } }
body { max-width: 32rem; margin: 18vh auto 0; padding: 0 20px; background: var(--background); color: var(--text); font: 14px/1.45 system-ui, sans-serif }
h1 { font-size: 20px; overflow-wrap: anywhere }
a { color: var(--accent) }
button { padding: 8px 16px; border: 0; border-radius: 4px; background: var(--accent); color: var(--on-accent); font: inherit; cursor: pointer }
`

const styleHash = createHash('sha256').update(style).digest('base64')
const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`

/** A static page outside the web app. `content` is markup. Caches and referrers do not keep its URL. */
export function sendPlainPage(reply: FastifyReply, title: string, content: string): FastifyReply {
  return reply
    .headers({ 'content-security-policy': policy, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    .type('text/html; charset=utf-8')
    .send(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeMarkup(title)} · Tidemark</title><style>${style}</style></head>
<body><main>${content}</main></body></html>
`)
}

export function prefersHtml(headers: IncomingHttpHeaders): boolean {
  return new Negotiator({ headers }).mediaType(['application/json', 'text/html']) === 'text/html'
}
