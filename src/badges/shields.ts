import type { Badge } from './svg.ts'
import { type Style, schemeOf } from './themes.ts'

/** The JSON of a shields.io endpoint badge. */
type ShieldsEndpoint = {
  readonly schemaVersion: 1
  readonly label: string
  readonly message: string
  readonly color: string
  readonly style?: Style
}

/** `style` applies unless the shields.io URL has its own. */
export function shieldsEndpoint({ label, message, tone }: Badge, style: Style | null): ShieldsEndpoint {
  const color = schemeOf('flat', 'light', tone).day.messageBack
  return { schemaVersion: 1, label, message, color, ...(style && { style }) }
}
