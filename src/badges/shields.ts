import type { Badge } from './svg.ts'
import { type Style, schemeOf } from './themes.ts'

/** What shields.io's endpoint badge reads. */
type ShieldsEndpoint = {
  readonly schemaVersion: 1
  readonly label: string
  readonly message: string
  readonly color: string
  readonly style?: Style
}

/** The badge for shields.io to draw; `style` is what it draws unless its own address says otherwise. */
export function shieldsEndpoint({ label, message, tone }: Badge, style: Style | null): ShieldsEndpoint {
  const color = schemeOf('flat', 'light', tone).day.messageBack
  return { schemaVersion: 1, label, message, color, ...(style && { style }) }
}
