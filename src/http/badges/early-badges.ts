import type { IncomingMessage } from 'node:http'
import { lruCache } from '../../cache/cache.ts'
import type { Catalogue, Check } from '../../catalogue/catalogue.ts'
import { isAnonymous } from '../hooks/auth.ts'
import { baseHeaders, type Headers, joinedVary } from '../hooks/reply-headers.ts'
import { type EarlyHandler, type HeaderList, isPlain, sendPlain } from '../server/before-router.ts'
import { type BasePath, withoutBasePath } from '../server/request-head.ts'
import { type BadgeAnswer, badgeVary } from './badge-answer.ts'

type Options<Badge> = {
  readonly catalogue: Catalogue
  readonly basePath: BasePath
  readonly headers: Headers
  /** Must not reject. */
  readonly answer: (badge: Badge, request: IncomingMessage) => Promise<BadgeAnswer>
}

const badgePath = '/v1/badges/checks/'
/** Bounds the memory of the cache keys. */
const maxLength = 1_000

/**
 * Cache of public badges by URL, since pages embed the same ones again and again. Once the route has answered a URL, later requests for it
 * are answered before the router.
 */
export function createEarlyBadges<Badge extends object>({ catalogue, basePath, headers: own, answer }: Options<Badge>) {
  const configs = lruCache<readonly Check[], ReturnType<typeof lruCache<string, Badge>>>(1)
  /** A config change replaces the list of checks, and the same URL may then mean another badge. */
  const known = () => configs.getOrCreate(catalogue.allChecks(), () => lruCache<string, Badge>(1_000))

  /** The last answer per badge with its prepared headers: most answers are the same as before. */
  const sent = new WeakMap<Badge, { readonly answer: BadgeAnswer; readonly base: Headers; readonly headers: HeaderList }>()

  const answerKnown: EarlyHandler['answer'] = (request, response, closing) => {
    if (!isPlain(request) || !isAnonymous(request.headers, catalogue)) return false
    const badge = known().get(withoutBasePath(request.url ?? '', basePath))
    if (!badge) return false
    const base = baseHeaders(catalogue.service(), request.headers.origin)
    void answer(badge, request).then((current) => {
      const last = sent.get(badge)
      const prepared = last?.answer === current && last.base === base ? last : { answer: current, base, headers: headersOf(base, current) }
      if (prepared !== last) sent.set(badge, prepared)
      sendPlain(response, { statusCode: current.statusCode, headers: prepared.headers, body: current.body }, closing)
    })
    return true
  }
  /** Alternating names and values, the form that Node writes fastest. */
  function headersOf(base: Headers, { statusCode, headers, body }: BadgeAnswer): HeaderList {
    const length = statusCode === 304 ? {} : { 'content-length': Buffer.byteLength(body) }
    return Object.entries({ ...base, ...own, ...headers, vary: joinedVary(base.vary, badgeVary), ...length }).flat()
  }
  return {
    handler: { method: 'GET', prefix: badgePath, answer: answerKnown } satisfies EarlyHandler,
    remember(address: string, badge: Badge): void {
      if (address.length <= maxLength) known().set(address, badge)
    },
  }
}
