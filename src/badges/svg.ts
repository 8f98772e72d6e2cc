import { makeBadge } from 'badge-maker'
import { escapeMarkup } from '../text/escape-markup.ts'
import { isSpaceable, measurable } from './label.ts'
import { type Colours, type Scheme, type Style, schemeOf, type Theme, type Tone } from './themes.ts'

/** What a badge says: the name on its left, the news on its right. */
export type Badge = { readonly label: string; readonly message: string; readonly tone: Tone }

/** The badge as SVG. Its label must have been cleaned. */
export function renderSvg({ label, message, tone }: Badge, style: Style, theme: Theme): string {
  const measured = measurable(label)
  const shape = makeBadge({ label: measured, message, style, labelColor: standIn.label, color: standIn.message })
  const drawn = measured === label ? shape : relabelled(shape, style === 'for-the-badge' ? label.toUpperCase() : label)
  const scheme = schemeOf(style, theme, tone)
  const painted = style === 'social' ? paint(plainBubbles(drawn), bubbles, scheme) : paint(drawn, halves, scheme)
  return named(painted, `${label}: ${message}`)
}

/** Bright enough that the library says the colour of each text on it, so that ours can take its place. */
const standIn = { label: '#fffffe', message: '#fffffd' }

type Property = 'fill' | 'stroke'
/** What the library draws, and the colours of ours that its occurrences get in turn, the last one for all the rest. */
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

function paint(svg: string, spots: readonly Spot[], { day, night }: Scheme): string {
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

/** Without what the library draws for links, which a badge has none of, and without shadows too faint to see. */
function plainBubbles(svg: string): string {
  return svg
    .replace(/<style>.*?<\/style>/, '')
    .replace(/<linearGradient id="b".*?<\/linearGradient>/, '')
    .replace(/<text aria-hidden="true"[^>]*>[^<]*<\/text>/g, '')
}

/** With this label in place of one as wide. */
function relabelled(svg: string, label: string): string {
  const texts = /(<text [^>]*>)[^<]*<\/text>/g
  const ofLabel = [...svg.matchAll(texts)].length / 2
  const start = (tag: string) => (isSpaceable(label) ? tag : tag.replace(/ textLength="[^"]*"/, ''))
  let nth = 0
  return svg.replace(texts, (text, tag: string) => (nth++ < ofLabel ? `${start(tag)}${escapeMarkup(label)}</text>` : text))
}

/** Some styles write in capitals; a screen reader is told the name as it is. */
function named(svg: string, name: string): string {
  const escaped = escapeMarkup(name)
  return svg
    .replace(/aria-label="[^"]*"/, () => `aria-label="${escaped}"`)
    .replace(/<title>[^<]*<\/title>/, () => `<title>${escaped}</title>`)
}
