const longest = 60

/** A name as a badge can show it: one line of legal characters, at most 60 of them; empty if there are none. */
export function cleanLabel(name: string): string {
  return cut(name.replace(lineSpace, ' ').replace(unshowable, '').replace(/ {2,}/g, ' ').trim())
}

const lineSpace = /\s/gu
/** Control characters, what reorders the text around it, lone surrogates, and what XML forbids. */
const unshowable = /[\p{Cc}\p{Cs}\u200b\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\p{Noncharacter_Code_Point}]/gu

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' })

function cut(name: string): string {
  if (name.length <= longest) return name
  const characters = [...name]
  if (characters.length <= longest) return name
  const head = characters.slice(0, longest).join('')
  return `${wholeGraphemes(head).trimEnd()}…`
}

/** `head` without its last visible character, which may be only half there. */
function wholeGraphemes(head: string): string {
  const last = segmenter.segment(head).containing(head.length - 1)
  return last && last.index > 0 ? head.slice(0, last.index) : [...head].slice(0, longest - 1).join('')
}
