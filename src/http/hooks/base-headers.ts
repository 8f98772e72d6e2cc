import type { ServiceSettings } from '../../catalogue/catalogue.ts'
import { corsHeaders } from './cors.ts'

export type Headers = Readonly<Record<string, string | number>>

/** Security headers of every answer; a route may override them. */
export const safeHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** The headers of any answer to a request from this origin. */
export function baseHeaders(service: ServiceSettings, origin: string | undefined): Headers {
  return service.corsOrigins.length === 0 ? safeHeaders : { ...safeHeaders, ...corsHeaders(service, origin) }
}
