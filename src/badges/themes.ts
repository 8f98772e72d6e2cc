export const styles = ['flat', 'plastic', 'flat-square', 'for-the-badge', 'social'] as const
export type Style = (typeof styles)[number]

export const badgeThemes = ['default', 'light', 'dark'] as const
export type BadgeTheme = (typeof badgeThemes)[number]

/** The tone of a badge: the state of a check, or `plain` for a figure without thresholds. */
export const tones = ['passing', 'degraded', 'failing', 'paused', 'unknown', 'plain'] as const
export type Tone = (typeof tones)[number]

export type Colours = {
  readonly labelBack: string
  readonly labelText: string
  readonly labelShadow: string
  readonly messageBack: string
  readonly messageText: string
  readonly messageShadow: string
  readonly border: string
}

/** The colours of one badge; `night` if they differ in the reader's dark mode. */
export type BadgeColours = { readonly day: Colours; readonly night: Colours | null }

export function schemeOf(style: Style, theme: BadgeTheme, tone: Tone): BadgeColours {
  const paint = style === 'social' ? paintSocial : paintHalves
  if (theme === 'default') return { day: paint(classic, tone), night: paint(dark, tone) }
  return { day: paint(theme === 'light' ? light : dark, tone), night: null }
}

type Palette = {
  readonly label: { readonly back: string; readonly text: string }
  /** The text colour of the message, on a fill of its tone. */
  readonly onTone: string
  readonly tones: Readonly<Record<Tone, string>>
  /** The social style has plain bubbles with the message in its tone. */
  readonly bubble: { readonly label: string; readonly message: string; readonly text: string; readonly border: string }
}

const deepTones = {
  passing: '#1a7f3e',
  degraded: '#a35600',
  failing: '#c8242f',
  paused: '#4a5f85',
  unknown: '#6a6f77',
  plain: '#0b66bd',
}

const brightTones = {
  passing: '#5dd879',
  degraded: '#eebb4d',
  failing: '#ff9489',
  paused: '#a9bbd9',
  unknown: '#bcc3cb',
  plain: '#85c5ff',
}

const paper = { label: '#fcfcfc', message: '#fafafa', text: '#333', border: '#d5d5d5' }

const classic: Palette = { label: { back: '#3b4048', text: '#fff' }, onTone: '#fff', tones: deepTones, bubble: paper }
const light: Palette = { label: { back: '#e9ecf1', text: '#1f2328' }, onTone: '#fff', tones: deepTones, bubble: paper }
const dark: Palette = {
  label: { back: '#2d333b', text: '#fff' },
  onTone: '#0d1117',
  tones: brightTones,
  bubble: { label: '#21262d', message: '#262c34', text: '#f0f3f6', border: '#4d5560' },
}

function paintHalves({ label, onTone, tones: fills, bubble }: Palette, tone: Tone): Colours {
  return {
    labelBack: label.back,
    labelText: label.text,
    labelShadow: shadowOf(label.text),
    messageBack: fills[tone],
    messageText: onTone,
    messageShadow: shadowOf(onTone),
    border: bubble.border,
  }
}

function paintSocial({ bubble, tones: inks }: Palette, tone: Tone): Colours {
  return {
    labelBack: bubble.label,
    labelText: bubble.text,
    labelShadow: bubble.label,
    messageBack: bubble.message,
    messageText: inks[tone],
    messageShadow: bubble.message,
    border: bubble.border,
  }
}

function shadowOf(text: string): string {
  return text === '#fff' ? '#010101' : '#fff'
}
