import type { ConversionDraft } from '../draft.ts'
import type { InputFields } from '../fields.ts'

export type ProbeInput = {
  readonly target: string
  /** The fields of the prober that the module names. */
  readonly probe: InputFields
  readonly item: string
  readonly draft: ConversionDraft
}

/** The only family that may be used; without a fallback it is the preferred one. */
export function familyOf(probe: InputFields): { readonly ipFamily?: 'IPv4' | 'IPv6' } {
  const isOnly = probe.take('ip_protocol_fallback') === false
  if (!isOnly) return {}
  return { ipFamily: probe.text('preferred_ip_protocol') === 'ip4' ? 'IPv4' : 'IPv6' }
}
