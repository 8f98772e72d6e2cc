import { makeBadge } from 'badge-maker'
import { escapeMarkup } from '../text/escape-markup.ts'
import { isSpaceable, measurable } from './label.ts'
import { type BadgeColours, type BadgeTheme, type Colours, type Style, schemeOf, type Tone } from './themes.ts'

/** The label is the left half of a badge, the message the right one. */
export type Badge = { readonly label: string; readonly message: string; readonly tone: Tone }

/** The badge as SVG. Its label must have been cleaned. */
export function renderSvg({ label, message, tone }: Badge, style: Style, theme: BadgeTheme): string {
  const measured = measurable(label)
  const shape = makeBadge({ label: measured, message, style, labelColor: standIn.label, color: standIn.message })
  const drawn = measured === label ? shape : relabelled(shape, style === 'for-the-badge' ? label.toUpperCase() : label)
  const scheme = schemeOf(style, theme, tone)
  const painted = style === 'social' ? paint(plainBubbles(drawn), bubbles, scheme) : paint(drawn, halves, scheme)
  return named(painted, `${label}: ${message}`)
}

/** Bright enough that the library writes the colour of each text, so that ours can replace it. */
const standIn = { label: '#fffffe', message: '#fffffd' }

type Property = 'fill' | 'stroke'
/** Markup of the library, and our colours for its occurrences in order; the last colour is for all further ones. */
type Spot = readonly [drawn: string, property: Property, ...colours: (keyof Colours)[]]

const halves: readonly Spot[] = [
  [`fill="${standIn.label}"`, 'fill', 'labelBack'],
  [`fill="${standIn.message}"`, 'fill', 'messageBack'],
  ['fill="#333"', 'fill', 'labelText', 'messageText'],
  ['fill="#ccc"', 'fill', 'labelShadow', 'messageShadow'],
]

const bubbles: readonly Spot[] = [
  ['fill="#fcfcfc"', 'fill', 'labelBack'],
  ['fill="#fafafa"', 'fill', 'messageBack'],
  ['stroke="#fafafa"', 'stroke', 'messageBack'],
  ['stroke="#d5d5d5"', 'stroke', 'border'],
  ['fill="#333"', 'fill', 'labelText'],
  ['id="rlink"', 'fill', 'messageText'],
]

function paint(svg: string, spots: readonly Spot[], { day, night }: BadgeColours): string {
  const rules = new Set<string>()
  let painted = svg
  for (const [drawn, property, ...colours] of spots) {
    let nth = 0
    painted = painted.replaceAll(drawn, () => {
      const colour = colours[nth++] ?? colours[colours.length - 1] ?? 'border'
      if (!night || night[colour] === day[colour]) return `${property}="${day[colour]}"`
      rules.add(`.${className(property, colour)}{${property}:${night[colour]}}`)
      return `class="${className(property, colour)}" ${property}="${day[colour]}"`
    })
  }
  return night ? painted.replace('</title>', `</title><style>@media(prefers-color-scheme:dark){${[...rules].join('')}}</style>`) : painted
}

const letters: Readonly<Record<keyof Colours, string>> = {
  labelBack: 'a',
  labelText: 'b',
  labelShadow: 'c',
  messageBack: 'd',
  messageText: 'e',
  messageShadow: 'f',
  border: 'g',
}

function className(property: Property, colour: keyof Colours): string {
  return property === 'fill' ? letters[colour] : `${letters[colour]}s`
}

/** Removes link markup, which a badge does not need, and shadows too faint to see. */
function plainBubbles(svg: string): string {
  return svg
    .replace(/<style>.*?<\/style>/, '')
    .replace(/<linearGradient id="b".*?<\/linearGradient>/, '')
    .replace(/<text aria-hidden="true"[^>]*>[^<]*<\/text>/g, '')
}

/** Replaces the measured label with the real one. */
function relabelled(svg: string, label: string): string {
  const texts = /(<text [^>]*>)[^<]*<\/text>/g
  const ofLabel = [...svg.matchAll(texts)].length / 2
  const start = (tag: string) => (isSpaceable(label) ? tag : tag.replace(/ textLength="[^"]*"/, ''))
  let nth = 0
  return svg.replace(texts, (text, tag: string) => (nth++ < ofLabel ? `${start(tag)}${escapeMarkup(label)}</text>` : text))
}

/** Some styles write in capitals; a screen reader gets the original name. */
function named(svg: string, name: string): string {
  const escaped = escapeMarkup(name)
  return svg
    .replace(/aria-label="[^"]*"/, () => `aria-label="${escaped}"`)
    .replace(/<title>[^<]*<\/title>/, () => `<title>${escaped}</title>`)
}
