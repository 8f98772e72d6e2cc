import type { ConvertedCheck } from '../../../checks/converted.ts'
import type { ConversionDraft } from '../draft.ts'
import type { InputFields } from '../fields.ts'

export type MonitorInput = {
  readonly fields: InputFields
  readonly item: string
  readonly draft: ConversionDraft
  readonly isUpsideDown: boolean
}

/** The conversion of a monitor; `isPinged` marks a monitor that waits for pings. */
export type MonitorOutcome = { readonly check: ConvertedCheck; readonly isPinged?: true } | { readonly leftOut: string }

export function ipFamily(fields: InputFields): 'IPv4' | 'IPv6' | null {
  const family = fields.text('ip_family')
  if (family === 'ipv4') return 'IPv4'
  return family === 'ipv6' ? 'IPv6' : null
}
