import type { FastifyReply, FastifyRequest } from 'fastify'
import { describeMetric, type MetricName, metricFinder } from '../../analytics/metric-names.ts'
import type { QuickRange } from '../../analytics/quick-range.ts'
import { formatFigure, judgeFigure } from '../../badges/figure.ts'
import { cleanLabel } from '../../badges/label.ts'
import { type BadgeMessage, stateMessage, tallyMessage } from '../../badges/message.ts'
import { shieldsEndpoint } from '../../badges/shields.ts'
import type { Badge } from '../../badges/svg.ts'
import type { Style } from '../../badges/themes.ts'
import { memoize } from '../../cache/memoize.ts'
import type { Check } from '../../catalogue/catalogue.ts'
import { apiError } from '../../errors.ts'
import { readKnownParams } from '../params.ts'
import type { Deps, Routes } from '../route.ts'
import { badgeAccount, badgeCheck } from './badge-access.ts'
import { createBadgeCache } from './badge-cache.ts'
import { badgeDoc, shieldsDoc, tagBadgeDoc, tagShieldsDoc } from './badge-docs.ts'
import { askFigure, meanDuration } from './badge-figures.ts'
import { type CheckParams, checkParams, lookParams, whoseParams } from './badge-params.ts'
import { createPictures, type Picture, pictureOf, wantsJson } from './badge-picture.ts'
import { isKnown } from './etag.ts'
import { idOf } from './find-check.ts'

export const badgeRoutes: Routes = (app, deps) => {
  const { catalogue } = deps
  const checkNews = newsTeller(deps)
  const draw = createPictures()
  const recentParams = memoize<CheckParams>(1_000)

  const askedBadge = async (request: FastifyRequest) => {
    const id = idOf(request)
    const { account } = readKnownParams(whoseParams, request.query)
    const check = badgeCheck(catalogue, { caller: request.caller, account }, id)
    const asked = recentParams(queryOf(request), () => readKnownParams(checkParams, request.query))
    return { asked, badge: { label: labelOf(asked.label, check.name, check.id), ...(await checkNews.of(check, asked)) } }
  }

  app.get('/v1/badges/checks/:id', { ...light, config: { access: 'optional', doc: badgeDoc } }, async (request, reply) => {
    const { asked, badge } = await askedBadge(request)
    return sendImage(request, reply, draw(badge, asked.style, asked.theme))
  })

  app.get('/v1/badges/checks/:id.json', { ...light, config: { access: 'optional', doc: shieldsDoc } }, async (request, reply) =>
    sendShields(request, reply, await askedBadge(request)),
  )

  const askedTag = async (request: FastifyRequest) => {
    const { tag } = request.params as { readonly tag: string }
    const { account } = readKnownParams(whoseParams, request.query)
    const owner = badgeAccount(catalogue, { caller: request.caller, account })
    const asked = readKnownParams(lookParams, request.query)
    const checks = catalogue.checks(owner.id).filter(({ tags }) => tags.includes(tag))
    if (checks.length === 0) throw apiError('TAG_NOT_FOUND', { tag: JSON.stringify(tag) })
    return { asked, badge: { label: labelOf(asked.label, tag, 'checks'), ...tallyMessage(await checkNews.states(checks)) } }
  }

  app.get('/v1/badges/tags/:tag', { ...light, config: { access: 'optional', doc: tagBadgeDoc } }, async (request, reply) => {
    const { asked, badge } = await askedTag(request)
    return sendImage(request, reply, draw(badge, asked.style, asked.theme))
  })

  app.get('/v1/badges/tags/:tag.json', { ...light, config: { access: 'optional', doc: tagShieldsDoc } }, async (request, reply) =>
    sendShields(request, reply, await askedTag(request)),
  )
}

/** A badge is too small to be worth compressing, and has its own few headers in place of those of a page. */
const light = {
  compress: false,
  onRequest: (_: FastifyRequest, reply: FastifyReply, done: () => void) => {
    reply.headers({
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    })
    done()
  },
} as const

function newsTeller({ store, clock, log }: Deps) {
  const memory = createBadgeCache({ store, clock, log })
  const figure = (check: Check, metric: MetricName, range: QuickRange) =>
    memory.figure(check, `${metric.name} ${range}`, () => askFigure(store, check, metric, range, clock.now()))

  const stateOf = async (check: Check, wantsMean: boolean): Promise<BadgeMessage> => {
    const metric = wantsMean ? meanDuration(check) : null
    const [state = 'unknown'] = await memory.states([check])
    return stateMessage(state, metric && (await figure(check, metric, 'last24Hours')))
  }
  const figureOf = async (check: Check, name: string, { range, warn, bad }: CheckParams): Promise<BadgeMessage> => {
    const metric = metricFinder(check.checkType)(name)
    const value = await figure(check, metric, range)
    const better = metric.kind === 'availability' ? 'high' : 'low'
    return { message: formatFigure(value, describeMetric(check.checkType, metric).unit), tone: judgeFigure(value, { warn, bad, better }) }
  }
  return {
    states: memory.states,
    of: (check: Check, asked: CheckParams) =>
      asked.metric === null ? stateOf(check, asked.responseTime) : figureOf(check, asked.metric, asked),
  }
}

/** The text of a query string; few are in use, so each need not be read anew. */
function queryOf({ url }: FastifyRequest): string {
  return url.slice(url.indexOf('?') + 1 || url.length)
}

/** The first of these texts that has something to show. */
function labelOf(...texts: readonly (string | null)[]): string {
  for (const text of texts) {
    const label = text === null ? '' : cleanLabel(text)
    if (label !== '') return label
  }
  return ''
}

const imageType = 'image/svg+xml; charset=utf-8'
const jsonType = 'application/json; charset=utf-8'

/** Clients that were told to expect JSON get the same picture under that name; image proxies would refuse it. */
function sendImage(request: FastifyRequest, reply: FastifyReply, picture: Picture): FastifyReply {
  return send(request, reply.type(wantsJson(request.headers.accept) ? jsonType : imageType), picture)
}

type Asked = { readonly badge: Badge; readonly asked: { readonly style: Style } }

/** Shields draws the style that was asked for, else what its own address says. */
function sendShields(request: FastifyRequest, reply: FastifyReply, { badge, asked }: Asked): FastifyReply {
  const style = Object.hasOwn(Object(request.query), 'style') ? asked.style : null
  return send(request, reply.type(jsonType), pictureOf(JSON.stringify(shieldsEndpoint(badge, style))))
}

function send(request: FastifyRequest, reply: FastifyReply, { body, etag }: Picture): FastifyReply {
  reply.headers({
    etag,
    'cache-control': 'max-age=60, s-maxage=60, stale-if-error=86400',
    vary: 'Accept, Authorization, X-Service-Account',
  })
  return isKnown(etag, request.headers['if-none-match']) ? reply.code(304).send() : reply.send(body)
}
