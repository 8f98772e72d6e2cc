import { escapeMarkup } from '../../text/escape-markup.ts'

/** Part of a line; a link if it has a URL. */
type LinePart = { readonly text: string; readonly bold?: true; readonly url?: string }
export type Line = readonly LinePart[]

/** How a channel escapes and formats text, and measures its length. */
export type TextFormat = {
  readonly text: (text: string) => string
  readonly bold: (escaped: string) => string
  readonly link: (escaped: string, url: string) => string
  readonly lineBreak: string
  readonly size: (rendered: string) => number
}

export const characters = (text: string): number => text.length
/** Bytes of UTF-8, including the escapes of a JSON string. */
export const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2

export const plainFormat: TextFormat = {
  text: (text) => text,
  bold: (text) => text,
  link: (text, url) => `${text}: ${url}`,
  lineBreak: '\n',
  size: characters,
}

/** Control characters, and those that change the direction of text or cannot be seen. */
const invisible = /[\p{Cc}\u2028\u2029]+/gu
const deceptive = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\p{Surrogate}]/gu

/** Untrusted text as one line without control characters, cut at a word. */
export function oneLine(text: string, maxLength: number): string {
  const start = text
    .slice(0, maxLength * 4)
    .replace(invisible, ' ')
    .replace(deceptive, '')
  return cutAtWord(start.replace(/\s+/gu, ' ').trim(), maxLength)
}

const ellipsis = '…'
/** How far to look back for the end of a word. */
const longestWord = 40

/** Cuts a text to at most `max`, if possible at the end of a word, and appends an ellipsis. */
export function cutAtWord(text: string, max: number, size: (text: string) => number = characters): string {
  if (size(text) <= max) return text
  if (size(ellipsis) > max) return ''
  let [fits, tooLong] = [0, text.length]
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2)
    if (size(text.slice(0, middle) + ellipsis) <= max) fits = middle
    else tooLong = middle
  }
  const start = text.slice(0, fits).replace(/[\ud800-\udbff]$/, '')
  const wordEnd = start.search(/\s\S*$/u)
  const isMidWord = /^\S/u.test(text.slice(fits))
  const end = isMidWord && wordEnd > 0 && start.length - wordEnd <= longestWord ? wordEnd : start.length
  return `${start.slice(0, end).trimEnd()}${ellipsis}`
}

/** Joins lines and links into a text of at most `max`. Links take up to half of it; lines are cut. */
export function fitted(lines: readonly Line[], links: readonly Line[], format: TextFormat, max: number): string {
  const tail = fittingLinks(links, format, max / 2)
  const room = tail === '' ? max : max - format.size(`${format.lineBreak}${tail}`)
  return [fittingLines(lines, format, room), tail].filter((part) => part !== '').join(format.lineBreak)
}

function fittingLinks(links: readonly Line[], format: TextFormat, max: number): string {
  for (let count = links.length; count > 0; count--) {
    const text = links
      .slice(0, count)
      .map((line) => rendered(line, format))
      .join(format.lineBreak)
    if (format.size(text) <= max) return text
  }
  return ''
}

function fittingLines(lines: readonly Line[], format: TextFormat, max: number): string {
  const whole = lines.map((line) => rendered(line, format)).join(format.lineBreak)
  if (format.size(whole) <= max) return whole
  let text = ''
  for (const line of lines) {
    const before = text === '' ? '' : `${text}${format.lineBreak}`
    const next = `${before}${rendered(line, format)}`
    if (format.size(`${next}${format.lineBreak}${ellipsis}`) > max) return withCutLine(before, line, format, max)
    text = next
  }
  return text
}

/** Adds the parts of a line that fit, the last of them cut. */
function withCutLine(before: string, line: Line, format: TextFormat, max: number): string {
  let text = before
  for (const span of line) {
    const next = text + renderedPart(span, format)
    if (format.size(next + ellipsis) <= max) {
      text = next
      continue
    }
    if (span.url !== undefined) break
    const cut = cutAtWord(span.text, max, (part) => format.size(text + renderedPart({ ...span, text: part }, format)))
    return cut === '' || cut === ellipsis ? closing(text, format, max) : text + renderedPart({ ...span, text: cut }, format)
  }
  return closing(text, format, max)
}

function closing(text: string, format: TextFormat, max: number): string {
  return format.size(text + ellipsis) <= max ? text + ellipsis : text
}

function rendered(line: Line, format: TextFormat): string {
  return line.map((part) => renderedPart(part, format)).join('')
}

function renderedPart({ text, bold, url }: LinePart, format: TextFormat): string {
  const escaped = format.text(text)
  if (url !== undefined) return format.link(escaped, url)
  return bold && escaped !== '' ? format.bold(escaped) : escaped
}

/** Defuses mentions in chats: an @ at the beginning of a word. An address such as `ops@example.com` stays as it is. */
export function withoutMentions(text: string): string {
  return text.replace(/(?<![\p{L}\p{N}_.+-])@(?=\S)/gu, '@\u2060')
}

/** HTML for chats and mail. */
export const htmlFormat: TextFormat = {
  text: (text) => escapeMarkup(withoutMentions(text)),
  bold: (text) => `<b>${text}</b>`,
  link: (text, url) => `<a href="${escapeMarkup(url)}">${text}</a>`,
  lineBreak: '\n',
  size: characters,
}
