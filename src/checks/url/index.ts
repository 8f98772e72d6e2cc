import { defineCheckType } from '../define.ts'
import { runLocation, statusCode } from '../metric.ts'
import { httpPhases } from '../probe/http/http-metrics.ts'
import { publicUrl, urlParts } from '../probe/http/http-request.ts'
import { demo } from './demo.ts'
import { metrics, UrlSettings } from './shape.ts'
import { wire } from './wire.ts'

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
  fromAddress: ({ protocol, href }) => (/^https?:$/.test(protocol) ? { request: { url: href } } : undefined),
  target: ({ request }) => ({ url: publicUrl(request.url), method: 'GET' }),
  secrets: ({ request }) => urlParts(request.url).secrets,
  run: () => import('./run.ts'),
  wire,
  demo,
})
