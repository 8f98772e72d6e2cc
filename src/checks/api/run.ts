import type { Static } from '../../schema/typebox.ts'
import { httpCheck } from '../probe/http/http-check.ts'
import { authorization, urlParts } from '../probe/http/http-request.ts'
import type { RunFunction } from '../probe/run.ts'
import { bodyOf } from './body.ts'
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
