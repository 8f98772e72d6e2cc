import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Catalogue } from '../../catalogue/catalogue.ts'
import { linkIdOf } from '../../catalogue/links.ts'

const tokens = new WeakMap<IncomingMessage, string>()

/** Removes the token of a link from the URL, so that routes and logs do not see it. `linkTokenOf` returns it. */
export function withoutLinkToken(request: IncomingMessage, url: string): string {
  if (!url.includes('link=tdl_')) return url
  return url.replace(/([?&])link=(tdl_[^&]*)(&?)/, (_, before: string, token: string, after: string) => {
    tokens.set(request, token)
    return after && before
  })
}

export function linkTokenOf(request: IncomingMessage): string | undefined {
  return tokens.get(request)
}

const bodies = new WeakMap<IncomingMessage, string>()

/** A link can carry a POST body: a GET of such a link is routed as that POST. Nothing is authenticated yet. */
export function routeLinkedPost(request: IncomingMessage, catalogue: Catalogue): void {
  const token = linkTokenOf(request)
  const body = token === undefined ? undefined : catalogue.link(linkIdOf(token))?.body
  if (body === undefined || request.method !== 'GET') return
  request.method = 'POST'
  delete request.headers['content-type']
  bodies.set(request, body)
}

/** The JSON body of a link whose GET is routed as a POST. */
export function linkedBodyOf(request: IncomingMessage): string | undefined {
  return bodies.get(request)
}

/** The path below which a reverse proxy forwards requests, such as `/tidemark`; empty for none. */
export type BasePath = string

/** The path of a request as routes know it. A proxy may have removed the base path already. */
export function withoutBasePath(url: string, basePath: BasePath): string {
  if (basePath === '' || !url.startsWith(basePath)) return url
  const rest = url.slice(basePath.length)
  if (rest === '' || rest.startsWith('?')) return `/${rest}`
  return rest.startsWith('/') ? rest : url
}

const maxHeaderLength = 8192

/** Some headers are parsed and compared item by item. Cookies may be longer: they belong to other programs, and nothing reads them. */
export function isLongHeader(headers: IncomingHttpHeaders, name: string): boolean {
  return (headers[name]?.length ?? 0) > maxHeaderLength && name !== 'cookie'
}
