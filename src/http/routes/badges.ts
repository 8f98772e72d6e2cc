import type { FastifyReply, FastifyRequest } from 'fastify'
import { describeMetric, type MetricName, metricFinder } from '../../analytics/metric-names.ts'
import { asConfigured, loadSlo } from '../../analytics/slo/load-slo.ts'
import { chooseWindow } from '../../analytics/window.ts'
import { formatAttained, formatFigure, judgeFigure, judgeSlo } from '../../badges/figure.ts'
import { cleanLabel } from '../../badges/label.ts'
import { type BadgeMessage, stateMessage, tallyMessage } from '../../badges/message.ts'
import type { Style } from '../../badges/themes.ts'
import type { Check } from '../../catalogue/catalogue.ts'
import { type Slo, selects } from '../../catalogue/policies/policies.ts'
import { apiError } from '../../errors.ts'
import { quoted } from '../../text/shortened.ts'
import { badgeAccount, badgeCheck } from '../badges/badge-access.ts'
import { type BadgeAnswer, badgeVary, imageAnswer, type LookParams, type RequestedBadge, shieldsAnswer } from '../badges/badge-answer.ts'
import { createBadgeCache } from '../badges/badge-cache.ts'
import { badgeDoc, shieldsDoc, tagBadgeDoc, tagShieldsDoc } from '../badges/badge-docs.ts'
import { badgeOptions, loadFigure, meanDuration } from '../badges/badge-figures.ts'
import { createPictures } from '../badges/badge-picture.ts'
import { createEarlyBadges } from '../badges/early-badges.ts'
import { addVary } from '../hooks/reply-headers.ts'
import { accountParams, type CheckParams, checkParams, lookParams } from '../input/badge-params.ts'
import { requestedId } from '../input/find-check.ts'
import { readKnownParams } from '../input/params.ts'
import type { Deps, Doc, Routes } from '../route.ts'

export const badgeRoutes: Routes = (app, deps) => {
  const { catalogue } = deps
  const messages = badgeMessages(deps)
  const draw = createPictures()

  const findBadge = (request: FastifyRequest): CheckBadge => {
    const id = requestedId(request)
    const { account } = readKnownParams(accountParams, request.query)
    const check = badgeCheck(catalogue, { caller: request.caller, account }, id)
    const params = readKnownParams(checkParams, request.query)
    return { check, params, label: labelOf(params.label, check.name, check.id), owner: catalogue.account(check.account) }
  }
  const messageOf = ({ check, params }: CheckBadge): Promise<BadgeMessage> => messages.of(check, params)

  const early = createEarlyBadges<CheckBadge>({
    ...deps,
    headers: badgeHeaders,
    answer: async (badge, { headers }) => imageAnswer(headers, badge, await messageOf(badge), draw),
  })
  deps.answerEarly(early.handler)

  app.get('/v1/badges/checks/:id', badgeRoute(badgeDoc), async (request, reply) => {
    const badge = findBadge(request)
    // Queries of metrics may be refused, and only the route sends such errors.
    if (!request.caller && badge.params.metric === null) early.remember(request.url, badge)
    return send(reply, imageAnswer(request.headers, badge, await messageOf(badge), draw))
  })

  app.get('/v1/badges/checks/:id.json', badgeRoute(shieldsDoc), async (request, reply) => {
    const badge = findBadge(request)
    return send(reply, shieldsAnswer(request.headers, badge, await messageOf(badge), styleOf(request, badge.params)))
  })

  const findTagBadge = (request: FastifyRequest): TagBadge => {
    const { tag } = request.params as { readonly tag: string }
    const { account } = readKnownParams(accountParams, request.query)
    const owner = badgeAccount(catalogue, { caller: request.caller, account })
    const params = readKnownParams(lookParams, request.query)
    const checks = catalogue.checks(owner.id).filter(({ tags }) => tags.includes(tag))
    if (checks.length === 0) throw apiError('TAG_NOT_FOUND', { tag: quoted(tag) })
    return { checks, params, label: labelOf(params.label, tag, 'checks'), owner }
  }
  const tallyOf = async ({ checks }: TagBadge): Promise<BadgeMessage> => tallyMessage(await messages.states(checks))

  app.get('/v1/badges/tags/:tag', badgeRoute(tagBadgeDoc), async (request, reply) => {
    const badge = findTagBadge(request)
    return send(reply, imageAnswer(request.headers, badge, await tallyOf(badge), draw))
  })

  app.get('/v1/badges/tags/:tag.json', badgeRoute(tagShieldsDoc), async (request, reply) => {
    const badge = findTagBadge(request)
    return send(reply, shieldsAnswer(request.headers, badge, await tallyOf(badge), styleOf(request, badge.params)))
  })
}

/** Badges are too small to compress, and are embedded in other sites. */
const badgeRoute = (doc: Doc) => ({ compress: false as const, config: { access: 'optional' as const, doc, headers: badgeHeaders } })

const badgeHeaders = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  'cross-origin-resource-policy': 'cross-origin',
}

function badgeMessages(deps: Deps) {
  const { catalogue, store, clock, log } = deps
  const cache = createBadgeCache({ store, clock, log })
  const figure = (check: Check, metric: MetricName, { range, timezone }: Pick<CheckParams, 'range' | 'timezone'>) => {
    const request = { quickRange: range, from: null, to: null, timezone }
    return cache.figure(check, `${metric.name} ${range} ${timezone?.name}`, () =>
      loadFigure(store, check, metric, chooseWindow(request, clock.now())),
    )
  }

  const stateOf = async (check: Check, wantsMean: boolean): Promise<BadgeMessage> => {
    const metric = wantsMean ? meanDuration(check) : null
    const [state = 'unknown'] = await cache.states([check])
    return stateMessage(state, metric && (await figure(check, metric, { range: 'last24Hours', timezone: null })))
  }
  const figureOf = async (check: Check, name: string, { range, timezone, warn, bad }: CheckParams): Promise<BadgeMessage> => {
    const metric = metricFinder(check.checkType)(name)
    const value = await figure(check, metric, { range, timezone })
    const better = metric.kind === 'availability' ? 'high' : 'low'
    return { message: formatFigure(value, describeMetric(check.checkType, metric).unit), tone: judgeFigure(value, { warn, bad, better }) }
  }
  const sloOf = async (check: Check, id: string | null): Promise<BadgeMessage> => {
    const slo = findSlo(catalogue, check, id)
    const load = () => loadSlo(deps, { account: check.account, slo, overrides: asConfigured, options: badgeOptions(check) })
    const status = await cache.figure(check, `slo ${slo.id}`, load)
    return { message: formatAttained(status?.attained ?? null), tone: status ? judgeSlo(status) : 'unknown' }
  }
  const of = (check: Check, params: CheckParams): Promise<BadgeMessage> => {
    if (params.metric === null) return stateOf(check, params.responseTime)
    return params.metric === 'slo' ? sloOf(check, params.slo) : figureOf(check, params.metric, params)
  }
  return { states: cache.states, of }
}

/** An SLO that does not include the check looks the same as a missing one. */
function findSlo(catalogue: Deps['catalogue'], check: Check, id: string | null): Slo {
  if (id === null) throw apiError('MISSING_PARAMETER', { name: 'slo', expected: 'the id of an SLO that includes this check' })
  const slo = catalogue.policies(check.account).slos.find((candidate) => candidate.id === id && selects(candidate, check))
  if (!slo) throw apiError('CHECK_NOT_IN_SLO', { slo: quoted(id) })
  return slo
}

/** The first of these texts with a visible character. */
function labelOf(...texts: readonly (string | null)[]): string {
  for (const text of texts) {
    const label = text === null ? '' : cleanLabel(text)
    if (label !== '') return label
  }
  return ''
}

type CheckBadge = RequestedBadge & { readonly params: CheckParams; readonly check: Check }
type TagBadge = RequestedBadge & { readonly checks: readonly Check[] }

/** Null if the URL names none; `params` then has the default. */
function styleOf({ query }: FastifyRequest, { style }: LookParams): Style | null {
  return Object.hasOwn(Object(query), 'style') ? style : null
}

function send(reply: FastifyReply, { statusCode, headers, body }: BadgeAnswer): FastifyReply {
  reply.code(statusCode).headers(headers)
  addVary(reply, badgeVary)
  return statusCode === 304 ? reply.send() : reply.send(body)
}
