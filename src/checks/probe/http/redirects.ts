import { ProbeFault } from '../failures.ts'
import type { RunContext } from '../run.ts'
import { exchange, type HttpAnswer, type HttpRequest, type HttpWatch } from './exchange.ts'

type Journey = {
  readonly watch: HttpWatch
  readonly context: RunContext
  readonly followRedirects: boolean
  readonly onCertificate: (daysRemaining: number) => void
  readonly onRedirect: (note: string) => void
}

const mostRedirects = 10

/** The answer at the end of a request's redirects; the stopwatch runs through all of them. */
export async function follow(first: HttpRequest, journey: Journey): Promise<HttpAnswer> {
  let request = first
  for (let redirects = 0; ; redirects++) {
    const answer = await exchange(request, journey)
    const next = journey.followRedirects ? nextRequest(request, answer) : null
    if (next === null) return answer
    if (redirects === mostRedirects) throw new ProbeFault(`more than ${mostRedirects} redirects`)
    journey.onRedirect(`status ${answer.status} leads to ${next.url.origin}${next.url.pathname}`)
    request = next
  }
}

/** Where an answer leads, or null where it is the last one. */
function nextRequest(request: HttpRequest, { status, headers }: Pick<HttpAnswer, 'status' | 'headers'>): HttpRequest | null {
  if (![301, 302, 303, 307, 308].includes(status) || headers.location === undefined) return null
  const url = locationOf(headers.location, request.url)
  const asGet = (status === 303 && request.method !== 'HEAD') || (status < 303 && request.method === 'POST')
  const foreign = url.origin !== request.url.origin
  return {
    ...request,
    url,
    ...(asGet && { method: 'GET', body: null }),
    headers: Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => !(asGet && isAboutBody(name)) && !(foreign && !isHarmless(name))),
    ),
  }
}

function locationOf(location: string, base: URL): URL {
  const url = URL.canParse(location, base.href) ? new URL(location, base) : null
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') throw new ProbeFault('redirected to what is no http or https address')
  return url
}

const isAboutBody = (name: string) => /^content-/i.test(name)

/** What may be told to another server than the one that was meant: nothing that might be a secret. */
const isHarmless = (name: string) => /^(accept(-language|-encoding)?|user-agent|content-type|cache-control)$/i.test(name)
