import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ChannelSettings } from '../../src/alerts/channels/channel.ts'
import { type ChannelTransportOptions, openTransport } from '../../src/alerts/channels/transport.ts'
import { httpServer } from './servers.ts'

export const signingSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

/** Settings of each channel type that sends HTTP requests, with secrets that tests can search for. */
export const httpSettings: Readonly<Record<string, (url: string) => ChannelSettings>> = {
  webhook: (url) => ({ url: `${url}/hooks/webhook-S3CRET-path1`, secrets: [signingSecret], headers: { 'X-Api-Key': 'S3CRET-header' } }),
  slack: (url) => ({ url: `${url}/services/T0S3CRET1/B0S3CRET2/aS3CRETaaaaaaaaaaaaaaaaa` }),
  discord: (url) => ({ url: `${url}/api/webhooks/123456789012345678/S3CRET-discord-token`, threadId: '42' }),
  telegram: (url) => ({ url, token: '123456:S3CRET-telegram', chat: -1001234567890, thread: 7 }),
  ntfy: (url) => ({ url, topic: 'S3CRET_topic', token: 'tk_S3CRETtoken' }),
  pagerduty: (url) => ({ url, routingKey: 'S3CRET0000000000000000000000pd32' }),
  alertmanager: (url) => ({ urls: [url], labels: { team: 'shop' } }),
  teams: (url) => ({ url: `${url}/workflows/S3CRET0123456789abcdef/triggers/manual?sig=S3CRET-sig` }),
  matrix: (url) => ({ url, room: '!room:example.org', token: 'syt_S3CRET_matrix' }),
  gotify: (url) => ({ url, token: 'AS3CRETgotify' }),
  pushover: (url) => ({ url, token: 'S3CRET000000000000000000000app', user: 'S3CRET00000000000000000000user' }),
  apprise: (url) => ({ url, key: 'S3CRET_key', tag: 'ops' }),
}

export type ReceivedRequest = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}
export type Reply = (answer: ServerResponse, request: IncomingMessage) => void

/** A receiver that records requests and answers each with the next reply. The last reply repeats. */
export async function channelReceiver(...replies: readonly Reply[]) {
  const received: ReceivedRequest[] = []
  const port = await httpServer(async (request, answer) => {
    let body = ''
    for await (const piece of request.setEncoding('utf8')) body += piece
    const { host: _, ...headers } = request.headers as Record<string, string>
    received.push({ method: request.method ?? '', path: request.url ?? '', headers, body })
    const reply = replies[Math.min(received.length, replies.length) - 1] ?? answers(200)
    reply(answer, request)
  })
  return { url: `http://127.0.0.1:${port}`, received }
}

export function answers(status: number, { headers = {}, body = '{}' }: { headers?: Record<string, string>; body?: string } = {}): Reply {
  return (answer) => answer.writeHead(status, headers).end(status === 204 ? undefined : body)
}

export const noon = Date.UTC(2026, 10, 17, 12)

export function testTransport(options: Partial<ChannelTransportOptions> = {}) {
  return openTransport({ addresses: { allow: [], deny: [] }, now: () => noon, ...options })
}
