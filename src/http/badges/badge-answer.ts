import type { IncomingHttpHeaders } from 'node:http'
import type { BadgeMessage } from '../../badges/message.ts'
import { shieldsEndpoint } from '../../badges/shields.ts'
import type { Style } from '../../badges/themes.ts'
import type { Account } from '../../catalogue/catalogue.ts'
import type { lookParams } from '../input/badge-params.ts'
import type { Parsed } from '../input/params.ts'
import { matchesEtag } from '../output/etag.ts'
import { type createPictures, type Picture, pictureOf, wantsJson } from './badge-picture.ts'

export type LookParams = Parsed<typeof lookParams>

/** A badge without its message, which is loaded for each request. */
export type RequestedBadge = {
  readonly params: LookParams
  readonly label: string
  readonly owner: Account | undefined
}

/** `headers` are sent in addition to the base headers of every answer. A 304 has no body. */
export type BadgeAnswer = { readonly statusCode: 200 | 304; readonly headers: Readonly<Record<string, string>>; readonly body: string }

export const badgeVary = 'Accept, Authorization, X-Service-Account'

const imageType = 'image/svg+xml; charset=utf-8'
const jsonType = 'application/json; charset=utf-8'

/** Clients that accept only JSON get the same SVG as application/json, a type that image proxies would reject. */
export function imageAnswer(
  requestHeaders: IncomingHttpHeaders,
  { params, label, owner }: RequestedBadge,
  { message, tone }: BadgeMessage,
  draw: ReturnType<typeof createPictures>,
): BadgeAnswer {
  const picture = draw({ label, message, tone }, params.style, params.theme)
  return answerOf(requestHeaders, picture, { owner, type: wantsJson(requestHeaders.accept) ? jsonType : imageType })
}

/** Without a style, shields.io uses the one in its own URL. */
export function shieldsAnswer(
  requestHeaders: IncomingHttpHeaders,
  { label, owner }: RequestedBadge,
  message: BadgeMessage,
  style: Style | null,
): BadgeAnswer {
  const picture = pictureOf(JSON.stringify(shieldsEndpoint({ label, ...message }, style)))
  return answerOf(requestHeaders, picture, { owner, type: jsonType })
}

type Sent = { readonly owner: Account | undefined; readonly type: string }

/** The last answer per picture: pages embed the same badge for all their readers. */
const lastAnswers = new WeakMap<Picture, BadgeAnswer & { readonly sent: Sent }>()

function answerOf(requestHeaders: IncomingHttpHeaders, picture: Picture, sent: Sent): BadgeAnswer {
  const { body, etag } = picture
  const isKnown = matchesEtag(etag, requestHeaders['if-none-match'])
  const last = lastAnswers.get(picture)
  if (!isKnown && last && last.sent.owner === sent.owner && last.sent.type === sent.type) return last
  const headers = { 'cache-control': cacheControlOf(sent.owner), 'content-type': sent.type, etag }
  if (isKnown) return { statusCode: 304, headers, body: '' }
  const answer = { statusCode: 200 as const, headers, body, sent }
  lastAnswers.set(picture, answer)
  return answer
}

/** Shared caches may store public badges only. */
function cacheControlOf(owner: Account | undefined): string {
  return owner?.publicBadges ? 'max-age=60, s-maxage=60, stale-if-error=86400' : 'private, max-age=60, stale-if-error=86400'
}
