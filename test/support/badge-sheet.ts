import { stateMessage, tallyMessage } from '../../src/badges/message.ts'
import { type Badge, renderSvg } from '../../src/badges/svg.ts'
import { type BadgeTheme, type Style, styles } from '../../src/badges/themes.ts'
import { checkStates } from '../../src/store/current-state.ts'

/** A page with every possible badge, each as an image like in a README. */
export function badgeSheet(): string {
  return `<!doctype html><meta charset="utf-8"><title>Badges</title><style>${sheetStyle}</style>
    ${section('theme=default, in light mode', 'default', 'day')}
    ${section('theme=default, in dark mode', 'default', 'night')}
    ${section('theme=light', 'light', 'day')}
    ${section('theme=dark', 'dark', 'night')}`
}

/** A badge as a data URL. */
export function imageOf(badge: Badge, style: Style, theme: BadgeTheme): string {
  return `data:image/svg+xml;base64,${Buffer.from(renderSvg(badge, style, theme)).toString('base64')}`
}

const shown: readonly Badge[] = [
  ...checkStates.map((state) => ({ label: 'Homepage', ...stateMessage(state, null) })),
  { label: 'Homepage', ...stateMessage('passing', 231.4) },
  { label: 'web', ...tallyMessage(['passing', 'passing', 'degraded']) },
  { label: 'Uptime', message: '99.95 %', tone: 'plain' },
]

const sheetStyle = `
  body { margin: 0; font: 13px system-ui, sans-serif; width: max-content }
  section { padding: 16px 20px 20px }
  h2 { font-size: 14px; margin: 0 0 10px }
  td { padding: 5px 14px 5px 0; line-height: 0 }
  .day { color-scheme: light; background: #fff; color: #1f2328 }
  .night { color-scheme: dark; background: #0d1117; color: #e6edf3 }`

function section(title: string, theme: BadgeTheme, mode: 'day' | 'night'): string {
  const cell = (style: Style) => (badge: Badge) => `<td><img alt="" src="${imageOf(badge, style, theme)}"></td>`
  const rows = styles.map((style) => `<tr>${shown.map(cell(style)).join('')}</tr>`)
  return `<section class="${mode}"><h2>${title}</h2><table>${rows.join('')}</table></section>`
}
