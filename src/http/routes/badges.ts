import type { FastifyReply, FastifyRequest } from 'fastify'
import { describeMetric, type MetricName, metricFinder } from '../../analytics/metric-names.ts'
import { chooseWindow } from '../../analytics/window.ts'
import { formatAttained, formatFigure, judgeFigure, judgeSlo } from '../../badges/figure.ts'
import { cleanLabel } from '../../badges/label.ts'
import { type BadgeMessage, stateMessage, tallyMessage } from '../../badges/message.ts'
import { shieldsEndpoint } from '../../badges/shields.ts'
import { lruCache } from '../../cache/lru-cache.ts'
import { memoize } from '../../cache/memoize.ts'
import type { Account, Check } from '../../catalogue/catalogue.ts'
import { type Slo, selects } from '../../catalogue/policies/policies.ts'
import { apiError } from '../../errors.ts'
import { quoted } from '../../text/shortened.ts'
import { badgeAccount, badgeCheck } from '../badges/badge-access.ts'
import { createBadgeCache } from '../badges/badge-cache.ts'
import { badgeDoc, shieldsDoc, tagBadgeDoc, tagShieldsDoc } from '../badges/badge-docs.ts'
import { badgeOptions, loadFigure, meanDuration } from '../badges/badge-figures.ts'
import { createPictures, type Picture, pictureOf, wantsJson } from '../badges/badge-picture.ts'
import { accountParams, type CheckParams, checkParams, lookParams } from '../input/badge-params.ts'
import { requestedId } from '../input/find-check.ts'
import { type Parsed, readKnownParams } from '../input/params.ts'
import { asConfigured } from '../input/slo-params.ts'
import { matchesEtag } from '../output/etag.ts'
import { loadSlo } from '../output/slo-status.ts'
import { addVary } from '../output/vary.ts'
import type { Deps, Doc, Routes } from '../route.ts'

export const badgeRoutes: Routes = (app, deps) => {
  const { catalogue } = deps
  const messages = badgeMessages(deps)
  const draw = createPictures()
  const badgesOfConfig = lruCache<readonly Check[], (address: string, find: () => CheckBadge) => CheckBadge>(1)

  const findBadge = (request: FastifyRequest): CheckBadge => {
    const id = requestedId(request)
    const { account } = readKnownParams(accountParams, request.query)
    const check = badgeCheck(catalogue, { caller: request.caller, account }, id)
    const params = readKnownParams(checkParams, request.query)
    return { check, params, label: labelOf(params.label, check.name, check.id), owner: catalogue.account(check.account) }
  }
  /** An address stands for the same badge until the config file changes, which makes a new list of checks. */
  const checkBadge = (request: FastifyRequest): RequestedBadge<CheckParams> => {
    const cached = badgesOfConfig.getOrCreate(catalogue.allChecks(), () => memoize(1_000))
    const badge = cached(`${request.caller?.account.id} ${request.url}`, () => findBadge(request))
    return { ...badge, message: messages.of(badge.check, badge.params) }
  }

  app.get('/v1/badges/checks/:id', badgeRoute(badgeDoc), (request, reply) => sendImage(request, reply, checkBadge(request), draw))

  app.get('/v1/badges/checks/:id.json', badgeRoute(shieldsDoc), (request, reply) => sendShields(request, reply, checkBadge(request)))

  const tagBadge = (request: FastifyRequest): RequestedBadge<LookParams> => {
    const { tag } = request.params as { readonly tag: string }
    const { account } = readKnownParams(accountParams, request.query)
    const owner = badgeAccount(catalogue, { caller: request.caller, account })
    const params = readKnownParams(lookParams, request.query)
    const checks = catalogue.checks(owner.id).filter(({ tags }) => tags.includes(tag))
    if (checks.length === 0) throw apiError('TAG_NOT_FOUND', { tag: quoted(tag) })
    return { params, label: labelOf(params.label, tag, 'checks'), message: messages.states(checks).then(tallyMessage), owner }
  }

  app.get('/v1/badges/tags/:tag', badgeRoute(tagBadgeDoc), (request, reply) => sendImage(request, reply, tagBadge(request), draw))

  app.get('/v1/badges/tags/:tag.json', badgeRoute(tagShieldsDoc), (request, reply) => sendShields(request, reply, tagBadge(request)))
}

/** A badge is too small to compress, and is embedded in other sites. */
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

/** Shared caches may store public badges only. */
function cacheControlOf(owner: Account | undefined): string {
  return owner?.publicBadges ? 'max-age=60, s-maxage=60, stale-if-error=86400' : 'private, max-age=60, stale-if-error=86400'
}

const imageType = 'image/svg+xml; charset=utf-8'
const jsonType = 'application/json; charset=utf-8'

/** A badge whose message is still being loaded. */
type RequestedBadge<Params> = {
  readonly params: Params
  readonly label: string
  readonly message: Promise<BadgeMessage>
  readonly owner: Account | undefined
}
type LookParams = Parsed<typeof lookParams>
type CheckBadge = Omit<RequestedBadge<CheckParams>, 'message'> & { readonly check: Check }

/** Clients that accept only JSON get the same SVG as application/json. Image proxies would reject that type. */
async function sendImage(
  request: FastifyRequest,
  reply: FastifyReply,
  { params, label, message, owner }: RequestedBadge<LookParams>,
  draw: ReturnType<typeof createPictures>,
): Promise<FastifyReply> {
  const picture = draw({ label, ...(await message) }, params.style, params.theme)
  return send(request, reply, { ...picture, owner, type: wantsJson(request.headers.accept) ? jsonType : imageType })
}

/** Without a style in our URL, shields.io uses the one in its own URL. */
async function sendShields(
  request: FastifyRequest,
  reply: FastifyReply,
  { params, label, message, owner }: RequestedBadge<LookParams>,
): Promise<FastifyReply> {
  const style = Object.hasOwn(Object(request.query), 'style') ? params.style : null
  const picture = pictureOf(JSON.stringify(shieldsEndpoint({ label, ...(await message) }, style)))
  return send(request, reply, { ...picture, owner, type: jsonType })
}

type BadgeAnswer = Picture & { readonly owner: Account | undefined; readonly type: string }

function send(request: FastifyRequest, reply: FastifyReply, { body, etag, owner, type }: BadgeAnswer): FastifyReply {
  reply.headers({ 'cache-control': cacheControlOf(owner), 'content-type': type, etag })
  addVary(reply, 'Accept, Authorization, X-Service-Account')
  return matchesEtag(etag, request.headers['if-none-match']) ? reply.code(304).send() : reply.send(body)
}
