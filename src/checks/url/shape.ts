import { Type } from '../../schema/typebox.ts'
import { httpMetrics } from '../probe/http/http-metrics.ts'
import { Assertions, IpFamily, strict, Url } from '../probe/settings.ts'

export const metrics = httpMetrics

export const UrlSettings = Type.Object({
  request: Type.Object(
    {
      url: Url,
      followRedirects: Type.Optional(Type.Boolean({ title: 'Follow redirects; default: yes' })),
      skipTls: Type.Optional(Type.Boolean({ title: 'Accept any certificate' })),
      ipFamily: Type.Optional(IpFamily),
      assertions: Type.Optional(Assertions('statusCode', 'certificateDays')),
    },
    strict,
  ),
  shouldFail: Type.Optional(Type.Boolean({ title: 'Invert the result: pass on failure, fail on success' })),
})
