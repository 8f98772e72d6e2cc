import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Catalogue } from '../../catalogue/catalogue.ts'
import { linkIdOf } from '../../catalogue/links.ts'

const tokens = new WeakMap<IncomingMessage, string>()

/** The URL without the token of a link, which is kept for `linkTokenOf`: routes and logs do not see it. */
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

/** Routes a GET with a link that has a body as the post that it stands for. Nothing is authenticated yet. */
export function routeLinkedPost(request: IncomingMessage, catalogue: Catalogue): void {
  const token = linkTokenOf(request)
  const body = token === undefined ? undefined : catalogue.link(linkIdOf(token))?.body
  if (body === undefined || request.method !== 'GET') return
  request.method = 'POST'
  delete request.headers['content-type']
  bodies.set(request, body)
}

/** The JSON text of the link, where a GET is routed as a post. */
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

/** Some headers are parsed and compared item by item. Cookies may be longer: they are of other programs, and nobody reads them. */
export function isLongHeader(headers: IncomingHttpHeaders, name: string): boolean {
  return (headers[name]?.length ?? 0) > maxHeaderLength && name !== 'cookie'
}
