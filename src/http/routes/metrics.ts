import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AlertStats } from '../../alerts/loop/alert-service.ts'
import { refOf } from '../../catalogue/catalogue.ts'
import { currentMaintenance } from '../../catalogue/policies/current-maintenance.ts'
import { alertMetrics, type ScrapedAlerts } from '../../prometheus/alert-metrics.ts'
import { checkMetrics, type ScrapedCheck } from '../../prometheus/check-metrics.ts'
import { processUsage, serverMetrics } from '../../prometheus/server-metrics.ts'
import { type ExpositionFormat, expositionEnd, expositionTypes } from '../../text/exposition.ts'
import { callerOf } from '../hooks/auth.ts'
import { addVary } from '../hooks/reply-headers.ts'
import { readParams } from '../input/params.ts'
import type { Deps, Doc, Routes } from '../route.ts'
import { questionOptions } from '../server/client-signal.ts'

export const metricsRoutes: Routes = (app, { catalogue, store, stats, clock, alerts }) => {
  app.get('/metrics', { config: { access: 'metrics', doc } }, async (request, reply) => {
    readParams({}, request.query)
    const checks = catalogue.checks(callerOf(request).account.id)
    const totals = await store.totals(
      checks.map((check) => ({ check: refOf(check), duration: check.checkType.duration })),
      { ...questionOptions(request, reply), waitMs: waitMsOf(request.headers) },
    )
    const latest = await store.latest(checks.map(refOf))
    const now = clock.now()
    const maintenance = currentMaintenance(catalogue.policies(callerOf(request).account.id), now)
    const scraped = checks.map(
      (check, i): ScrapedCheck => ({
        check,
        totals: totals[i] ?? 'counting',
        latest: latest[i],
        inMaintenance: maintenance(check) !== null,
      }),
    )
    const scrapedAlerts = alerts && alertsOf(callerOf(request).account.id, alerts.stats())
    const format = formatFor(request.headers.accept)
    addVary(reply.type(expositionTypes[format]), 'Accept')
    return reply.send(Readable.from(inTurns(exposition({ scraped, stats, alerts: scrapedAlerts, format, now })), { objectMode: false }))
  })
}

function alertsOf(account: string, { open, attempts, oldestWaitingAt, isLeader }: AlertStats): ScrapedAlerts {
  const deliveries = [...attempts].flatMap(([key, count]) => {
    const [owner, channel = '', outcome = ''] = JSON.parse(key) as readonly string[]
    return owner === account ? [{ channel, outcome, count }] : []
  })
  return { account, open: open.get(account) ?? 0, deliveries, oldestUnsentAt: oldestWaitingAt, isLeader: isLeader ?? true }
}

/** Half of the scrape timeout, which Prometheus sends; its default is 10 seconds. */
function waitMsOf(headers: IncomingHttpHeaders): number {
  const seconds = Number(headers['x-prometheus-scrape-timeout-seconds'] ?? 10)
  return Math.min(Math.max(seconds || 0, 1), 60) * 500
}

type Exposition = {
  readonly scraped: readonly ScrapedCheck[]
  readonly stats: Deps['stats']
  readonly alerts: ScrapedAlerts | null
  readonly format: ExpositionFormat
  readonly now: number
}

function* exposition({ scraped, stats, alerts, format, now }: Exposition): Generator<string> {
  yield serverMetrics(stats, processUsage(), format)
  if (alerts) yield alertMetrics(alerts, format, now)
  yield* checkMetrics(scraped, format, now)
  yield expositionEnd[format]
}

/** Prometheus asks for OpenMetrics. Other clients get the older format, which people can read too. */
function formatFor(accept = ''): ExpositionFormat {
  return /application\/openmetrics-text/i.test(accept) ? 'openmetrics' : 'text'
}

const chunkLength = 32_768

/** Joins pieces into chunks, one per turn of the event loop, so that other requests are answered in between. */
async function* inTurns(pieces: Iterable<string>): AsyncGenerator<string> {
  let chunk = ''
  for (const piece of pieces) {
    chunk += piece
    if (chunk.length < chunkLength) continue
    yield chunk
    chunk = ''
    await nextTurn()
  }
  yield chunk
}

const doc: Doc = {
  group: 'Health',
  summary: 'Counters and gauges of every check of the account, and of the server, for Prometheus',
  description:
    'OpenMetrics if Accept requests it, else the text format 0.0.4. Requires a key with the scope metrics, as bearer token or basic auth password, which also sets the account. 404 without such a key in the config file.',
  answer: {
    description: 'The exposition.',
    mediaType: 'application/openmetrics-text',
    otherTypes: ['text/plain'],
    schema: { type: 'string' },
  },
  query: {},
  errors: ['ROUTE_NOT_FOUND'],
}
