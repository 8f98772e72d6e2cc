import { Type } from 'typebox'
import { defineCheckType, runLocation, statusCode } from '../define.ts'
import { httpMetrics, httpPhases } from '../probe/http-metrics.ts'
import { authorization, parameterSecrets, publicUrl, urlParts } from '../probe/http-request.ts'
import { headerSecrets } from '../probe/redact.ts'
import { Assertions, IpFamily, strict, Url } from '../probe/settings.ts'
import { demo } from './demo.ts'

export const metrics = httpMetrics

export const ApiSettings = Type.Object({
  request: Type.Object(
    {
      url: Url,
      method: Type.Optional(Type.Enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])),
      headers: Type.Optional(Type.Record(Type.String(), Type.String())),
      query: Type.Optional(Type.Record(Type.String(), Type.String())),
      body: Type.Optional(Type.String()),
      bodyType: Type.Optional(Type.Enum(['json', 'form', 'raw', 'graphql'])),
      basicAuth: Type.Optional(Type.Object({ username: Type.String(), password: Type.String() }, strict)),
      followRedirects: Type.Optional(Type.Boolean()),
      skipTls: Type.Optional(Type.Boolean()),
      ipFamily: Type.Optional(IpFamily),
      assertions: Type.Optional(Assertions('statusCode', 'headers', 'textBody', 'jsonBody', 'responseTime')),
    },
    strict,
  ),
  shouldFail: Type.Optional(Type.Boolean()),
})

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
  demo,
})
