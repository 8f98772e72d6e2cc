import { Type } from '../../schema/typebox.ts'
import { httpMetrics } from '../probe/http/http-metrics.ts'
import { Assertions, IpFamily, strict, Url } from '../probe/settings.ts'

export const metrics = httpMetrics

/** Limited because each value may be a secret, and redaction searches all texts of a run for every secret. */
const Pairs = Type.Record(Type.String(), Type.String(), { maxProperties: 200 })

export const ApiSettings = Type.Object({
  request: Type.Object(
    {
      url: Url,
      method: Type.Optional(Type.Enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])),
      headers: Type.Optional(Pairs),
      query: Type.Optional(Pairs),
      body: Type.Optional(Type.String({ contentMediaType: 'text/plain' })),
      bodyType: Type.Optional(Type.Enum(['json', 'form', 'raw', 'graphql'])),
      basicAuth: Type.Optional(Type.Object({ username: Type.String(), password: Type.String() }, strict)),
      followRedirects: Type.Optional(Type.Boolean({ title: 'Follow redirects; default: yes' })),
      skipTls: Type.Optional(Type.Boolean({ title: 'Accept any certificate' })),
      ipFamily: Type.Optional(IpFamily),
      assertions: Type.Optional(Assertions('statusCode', 'headers', 'textBody', 'jsonBody', 'responseTime', 'certificateDays')),
    },
    strict,
  ),
  shouldFail: Type.Optional(Type.Boolean({ title: 'Invert the result: pass on failure, fail on success' })),
})
