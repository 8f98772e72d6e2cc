import { Type } from 'typebox'
import { defineCheckType, runLocation, statusCode } from '../define.ts'
import { httpMetrics, httpPhases } from '../probe/http-metrics.ts'
import { publicUrl, urlParts } from '../probe/http-request.ts'
import { Assertions, IpFamily, strict, Url } from '../probe/settings.ts'
import { demo } from './demo.ts'

export const metrics = httpMetrics

export const UrlSettings = Type.Object({
  request: Type.Object(
    {
      url: Url,
      followRedirects: Type.Optional(Type.Boolean()),
      skipTls: Type.Optional(Type.Boolean()),
      ipFamily: Type.Optional(IpFamily),
      assertions: Type.Optional(Assertions('statusCode')),
    },
    strict,
  ),
  shouldFail: Type.Optional(Type.Boolean()),
})

export const url = defineCheckType({
  type: 'URL',
  path: 'url-monitors',
  label: 'URL monitor',
  metrics,
  duration: 'responseTime',
  phases: httpPhases,
  fields: ['statusCode', 'sslDaysRemaining'],
  groupBy: [runLocation, statusCode],
  settings: UrlSettings,
  target: ({ request }) => ({ url: publicUrl(request.url), method: 'GET' }),
  secrets: ({ request }) => urlParts(request.url).secrets,
  run: () => import('./run.ts'),
  demo,
})
