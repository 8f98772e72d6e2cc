import type { FastifyReply, FastifyRequest } from 'fastify'
import type { IncidentRecord } from '../../alerts/outbox/alert-records.ts'
import { apiError } from '../../errors.ts'
import { escapeMarkup } from '../../text/escape-markup.ts'
import { isoText, minuteMs } from '../../time.ts'
import { createRequestCounter } from '../hooks/rate-limit.ts'
import { incidentTitle } from '../output/alert-entry.ts'
import { prefersHtml, sendPlainPage } from '../output/plain-page.ts'
import { type Doc, type Routes, runningAlerts } from '../route.ts'

const maxTokenLength = 1024
const maxBodyBytes = 1024
const requestsPerMinute = 60

type Named = { readonly account: string; readonly incident: string }

/** The page behind the link in a message. Mail scanners follow links, so a GET changes nothing; the button sends a POST. */
export const acknowledgeLinkRoutes: Routes = async (app, deps) => {
  const count = createRequestCounter(deps.clock)

  /** An invalid token costs one hash. */
  const namedBy = ({ params }: FastifyRequest): Named | null => {
    const { token } = params as { readonly token: string }
    const alerts = runningAlerts(deps)
    const named = token.length <= maxTokenLength ? alerts.ofToken(token) : null
    if (!named) return null
    const { exceeded } = count(named.incident, requestsPerMinute, minuteMs)
    if (exceeded) throw exceeded
    return named
  }
  const answer = async (request: FastifyRequest, reply: FastifyReply, named: Named | null) => {
    const found = named && (await runningAlerts(deps).incident(named.account, named.incident))
    if (found) return sendPlainPage(reply, 'Acknowledge', contentOf(found))
    if (!prefersHtml(request.headers)) throw apiError('ALERT_NOT_FOUND')
    return sendPlainPage(
      reply.code(404),
      'Not found',
      '<h1>There is no such alert.</h1><p>The link is incomplete, or the alert closed long ago.</p>',
    )
  }

  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { bodyLimit: maxBodyBytes, parseAs: 'buffer' }, (_request, _body, done) => done(null, null))
    scope.get('/acknowledge/:token', { config: { access: 'open', doc: pageDoc } }, async (request, reply) =>
      answer(request, reply, namedBy(request)),
    )
    scope.post('/acknowledge/:token', { bodyLimit: maxBodyBytes, config: { access: 'open', doc: postDoc } }, async (request, reply) => {
      const named = namedBy(request)
      if (named) await runningAlerts(deps).acknowledge(named.account, named.incident, 'link')
      return answer(request, reply, named)
    })
  })
}

function contentOf(record: IncidentRecord): string {
  const { openedAt } = record.incident
  return `<h1>${escapeMarkup(incidentTitle(record))}</h1>
<p>Since ${clock(openedAt)}.</p>
${stateOf(record)}`
}

function stateOf({ incident: { acknowledged, closedAt } }: IncidentRecord): string {
  if (acknowledged) return `<p>Acknowledged by ${escapeMarkup(acknowledged.by)} at ${clock(acknowledged.at)}.</p>`
  if (closedAt !== null) return `<p>It closed at ${clock(closedAt)}.</p>`
  return `<p>Acknowledging stops further notifications and reminders.</p>
<form method="post"><button>Acknowledge</button></form>`
}

const clock = (instant: number) => `${isoText(instant).slice(0, 19).replace('T', ' ')} UTC`

const docOf = (summary: string): Doc => ({
  group: 'Alerts',
  summary,
  path: { token: { type: 'string', description: 'The token of the link in a message; no other credentials required.' } },
  answer: { description: 'An HTML page.', mediaType: 'text/html', schema: { type: 'string' } },
  errors: ['ALERT_NOT_FOUND', 'RATE_LIMITED', 'ALERTS_OFF'],
})
const pageDoc = docOf('The page to acknowledge an alert')
const postDoc = docOf('Acknowledge the alert of a link')
