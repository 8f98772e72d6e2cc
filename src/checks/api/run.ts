import type { Static } from '../../schema/typebox.ts'
import { httpCheck } from '../probe/http/http-check.ts'
import { authorization, urlParts } from '../probe/http/http-request.ts'
import type { RunFunction } from '../probe/run.ts'
import type { ApiSettings, metrics } from './shape.ts'

export { warmUp } from '../probe/http/warm-up.ts'

type Settings = Static<typeof ApiSettings>

export const run: RunFunction<Settings, typeof metrics> = ({ request: settings, shouldFail = false }, context) => {
  const { followRedirects = true, skipTls = false, ipFamily, assertions = [], method = 'GET' } = settings
  const request = { ...requestOf(settings), method, skipTls, ipFamily }
  return httpCheck({ request, followRedirects, shouldFail, assertions }, context)
}

/** Headers in the settings take precedence over those implied by `basicAuth` and `bodyType`. */
function requestOf({ url: address, query = {}, headers = {}, basicAuth, ...rest }: Settings['request']) {
  const { url, ...fromUrl } = urlParts(address)
  for (const [name, value] of Object.entries(query)) url.searchParams.append(name, value)
  const auth = basicAuth ? authorization(basicAuth) : fromUrl
  const { body, contentType } = bodyOf(rest)
  const implied = { ...auth.headers, ...(contentType && { 'Content-Type': contentType }) }
  const given = new Set(Object.keys(headers).map((name) => name.toLowerCase()))
  const missing = Object.entries(implied).filter(([name]) => !given.has(name.toLowerCase()))
  return { url, headers: { ...headers, ...Object.fromEntries(missing) }, body }
}

function bodyOf({ body, bodyType = 'raw' }: Pick<Settings['request'], 'body' | 'bodyType'>): {
  readonly body: string | null
  readonly contentType: string | null
} {
  if (body === undefined) return { body: null, contentType: null }
  if (bodyType === 'graphql') return { body: graphql(body), contentType: 'application/json' }
  return { body, contentType: contentTypes[bodyType] }
}

const contentTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded', raw: null }

/** A GraphQL body is the query, or a complete `{"query", "variables", …}` in JSON. */
function graphql(text: string): string {
  try {
    const whole: unknown = JSON.parse(text)
    if (typeof whole === 'object' && whole !== null && 'query' in whole) return text
  } catch {}
  return JSON.stringify({ query: text })
}
