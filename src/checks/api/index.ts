import { defineCheckType } from '../define.ts'
import { runLocation, statusCode } from '../metric.ts'
import { httpPhases } from '../probe/http/http-metrics.ts'
import { authorization, parameterSecrets, publicUrl, urlParts } from '../probe/http/http-request.ts'
import { headerSecrets } from '../probe/redact.ts'
import { demo } from './demo.ts'
import { groupRequest } from './group-request.ts'
import { ApiSettings, metrics } from './shape.ts'
import { wire } from './wire.ts'

export const api = defineCheckType({
  type: 'API',
  path: 'api-checks',
  label: 'API check',
  metrics,
  duration: 'responseTime',
  phases: httpPhases,
  fields: ['statusCode', 'sslDaysRemaining'],
  groupBy: [runLocation, statusCode],
  settings: ApiSettings,
  target: ({ request }) => ({ url: publicUrl(request.url), method: request.method ?? 'GET' }),
  secrets: ({ request: { url, query = {}, headers = {}, basicAuth } }) => [
    ...urlParts(url).secrets,
    ...parameterSecrets(query),
    ...headerSecrets(headers),
    ...(basicAuth ? authorization(basicAuth).secrets : []),
  ],
  run: () => import('./run.ts'),
  wire,
  groupRequest,
  demo,
})
