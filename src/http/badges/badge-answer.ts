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

/** A badge whose message is still being loaded. */
export type RequestedBadge = {
  readonly params: LookParams
  readonly label: string
  readonly message: Promise<BadgeMessage>
  readonly owner: Account | undefined
}

/** `headers` are those that a badge has in addition to any answer. A 304 has no body. */
export type BadgeAnswer = { readonly statusCode: 200 | 304; readonly headers: Readonly<Record<string, string>>; readonly body: string }

export const badgeVary = 'Accept, Authorization, X-Service-Account'

const imageType = 'image/svg+xml; charset=utf-8'
const jsonType = 'application/json; charset=utf-8'

/** Clients that accept only JSON get the same SVG as application/json. Image proxies would reject that type. */
export async function imageAnswer(
  requestHeaders: IncomingHttpHeaders,
  { params, label, message, owner }: RequestedBadge,
  draw: ReturnType<typeof createPictures>,
): Promise<BadgeAnswer> {
  const picture = draw({ label, ...(await message) }, params.style, params.theme)
  return answerOf(requestHeaders, picture, { owner, type: wantsJson(requestHeaders.accept) ? jsonType : imageType })
}

/** Without a style, shields.io uses the one in its own URL. */
export async function shieldsAnswer(
  requestHeaders: IncomingHttpHeaders,
  { label, message, owner }: RequestedBadge,
  style: Style | null,
): Promise<BadgeAnswer> {
  const picture = pictureOf(JSON.stringify(shieldsEndpoint({ label, ...(await message) }, style)))
  return answerOf(requestHeaders, picture, { owner, type: jsonType })
}

type Sent = { readonly owner: Account | undefined; readonly type: string }

function answerOf(requestHeaders: IncomingHttpHeaders, { body, etag }: Picture, { owner, type }: Sent): BadgeAnswer {
  const headers = { 'cache-control': cacheControlOf(owner), 'content-type': type, etag }
  return matchesEtag(etag, requestHeaders['if-none-match']) ? { statusCode: 304, headers, body: '' } : { statusCode: 200, headers, body }
}

/** Shared caches may store public badges only. */
function cacheControlOf(owner: Account | undefined): string {
  return owner?.publicBadges ? 'max-age=60, s-maxage=60, stale-if-error=86400' : 'private, max-age=60, stale-if-error=86400'
}
