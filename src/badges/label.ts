import { memoize } from '../cache/cache.ts'

const longest = 60
const cached = memoize<string>(1_000)

/** A name as a badge can show it: one line of legal characters, at most 60 of them; empty if there are none. */
export function cleanLabel(name: string): string {
  return cached(name, () => clean(name))
}

function clean(name: string): string {
  const line = name.replace(lineSpace, ' ').replace(unshowable, '').replace(/ {2,}/g, ' ').trim()
  return cut(line.slice(0, maxNormalized).normalize('NFC'))
}

/** Normalization takes quadratic time in a run of combining marks. This many code units never fit on a badge. */
const maxNormalized = 8 * longest

const lineSpace = /\s/gu
/** Control, zero-width and bidirectional formatting characters, lone surrogates, and characters that XML forbids. */
const unshowable = /[\p{Cc}\p{Cs}\u200b\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\p{Noncharacter_Code_Point}]/gu

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' })

/** A text of about the same width, made only of characters that the drawing library can measure. */
export function measurable(label: string): string {
  if (!foreignLetter.test(label) && !markOrPicture.test(label)) return label
  return Array.from(segmenter.segment(label), ({ segment }) => {
    if (picture.test(segment)) return 'mi'
    const [first = ''] = segment
    return foreignLetter.test(first) || markOrPicture.test(first) ? 'n' : first
  }).join('')
}

/** Whether letters may be spaced apart: many scripts join them. */
export function isSpaceable(label: string): boolean {
  return !foreignLetter.test(label)
}

const picture = /[\p{Extended_Pictographic}\p{Regional_Indicator}]/u
const markOrPicture = /[\p{M}\p{Extended_Pictographic}\p{Regional_Indicator}]/u
/** A letter of a script whose widths the library does not know. */
const foreignLetter =
  /(?![\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Common}])\p{L}/u

function cut(name: string): string {
  const characters = [...name]
  if (characters.length <= longest) return name
  const head = characters.slice(0, longest).join('')
  return `${wholeGraphemes(head).trimEnd()}…`
}

/** `head` without its last grapheme, which may be cut off, unless that is longer than 20 code units. */
function wholeGraphemes(head: string): string {
  const last = segmenter.segment(head).containing(head.length - 1)
  if (last && last.segment.length <= 20) return head.slice(0, last.index)
  return [...head].slice(0, longest - 1).join('')
}
