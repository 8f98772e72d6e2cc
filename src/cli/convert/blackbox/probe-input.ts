import type { ConversionDraft } from '../draft.ts'
import type { InputFields } from '../fields.ts'

export type ProbeInput = {
  readonly target: string
  /** The fields of the module's prober. */
  readonly probe: InputFields
  readonly item: string
  readonly draft: ConversionDraft
}

/** Sets the IP family only if the module forbids a fallback to the other one. */
export function familyOf(probe: InputFields): { readonly ipFamily?: 'IPv4' | 'IPv6' } {
  const isOnly = probe.take('ip_protocol_fallback') === false
  if (!isOnly) return {}
  return { ipFamily: probe.text('preferred_ip_protocol') === 'ip4' ? 'IPv4' : 'IPv6' }
}
