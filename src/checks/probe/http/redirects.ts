import { ProbeFault } from '../failures.ts'
import { type ConnectionOptions, openConnections } from './connections.ts'
import { exchange, type HttpRequest, type HttpResponse } from './exchange.ts'

type ExchangeOptions = Pick<ConnectionOptions, 'watch' | 'context' | 'onCertificate'> & {
  readonly followRedirects: boolean
  readonly onRedirect: (note: string) => void
}

const maxRedirects = 10

/** Follows redirects and returns the last response; the stopwatch covers all of them. */
export async function exchangeFollowing(first: HttpRequest, options: ExchangeOptions): Promise<HttpResponse> {
  const connections = openConnections({ ...first, ...options })
  const { watch, context } = options
  const send = (request: HttpRequest) => exchange(request, { watch, connections, signal: context.signal })
  try {
    return await follow(first, send, options)
  } finally {
    connections.close()
  }
}

type Send = (request: HttpRequest) => Promise<HttpResponse>
type FollowOptions = Pick<ExchangeOptions, 'followRedirects' | 'onRedirect'>

async function follow(first: HttpRequest, send: Send, options: FollowOptions): Promise<HttpResponse> {
  let request = first
  for (let redirects = 0; ; redirects++) {
    const response = await send(request)
    const next = options.followRedirects ? nextRequest(request, response) : null
    if (next === null) return response
    if (redirects === maxRedirects) throw new ProbeFault(`more than ${maxRedirects} redirects`)
    options.onRedirect(`status ${response.status} redirects to ${next.url.origin}${next.url.pathname}`)
    request = next
  }
}

/** The next request, or null if the response is the last one. */
function nextRequest(request: HttpRequest, { status, headers }: Pick<HttpResponse, 'status' | 'headers'>): HttpRequest | null {
  if (![301, 302, 303, 307, 308].includes(status) || headers.location === undefined) return null
  const url = locationOf(headers.location, request.url)
  const asGet = (status === 303 && request.method !== 'HEAD') || (status < 303 && request.method === 'POST')
  const crossOrigin = url.origin !== request.url.origin
  return {
    ...request,
    url,
    ...(asGet && { method: 'GET', body: null }),
    headers: Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => !(asGet && isAboutBody(name)) && !(crossOrigin && !isSafeCrossOrigin(name))),
    ),
  }
}

function locationOf(location: string, base: URL): URL {
  const url = URL.canParse(location, base.href) ? new URL(location, base) : null
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') throw new ProbeFault('redirected to an address that is not http or https')
  return url
}

const isAboutBody = (name: string) => /^content-/i.test(name)

/** Headers that may be sent to another origin: none that might hold a secret. */
const isSafeCrossOrigin = (name: string) => /^(accept(-language|-encoding)?|user-agent|content-type|cache-control)$/i.test(name)
