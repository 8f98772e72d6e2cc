import type { Static } from '../../schema/typebox.ts'
import { httpCheck } from '../probe/http/http-check.ts'
import { urlParts } from '../probe/http/http-request.ts'
import type { RunFunction } from '../probe/run.ts'
import type { metrics, UrlSettings } from './shape.ts'

export { warmUp } from '../probe/http/warm-up.ts'

export const run: RunFunction<Static<typeof UrlSettings>, typeof metrics> = ({ request, shouldFail = false }, context) => {
  const { followRedirects = true, skipTls = false, ipFamily, assertions = [] } = request
  const { url, headers } = urlParts(request.url)
  return httpCheck(
    { request: { url, method: 'GET', headers, body: null, skipTls, ipFamily }, followRedirects, shouldFail, assertions },
    context,
  )
}
