/** Parses a number only if it is in canonical form; anything else is text, such as a variable. */
export function numberOrText(text: string): string | number | undefined {
  if (text === '') return undefined
  return String(Number(text)) === text && Number.isFinite(Number(text)) ? Number(text) : text
}

/** Parses a list with commas. `[]` is an empty list, and an empty text means no list. */
export function wordsIn(text: string): readonly string[] | undefined {
  if (text.trim() === '[]') return []
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
  return words.length === 0 ? undefined : words
}

export function listText(list: unknown): string {
  if (!Array.isArray(list)) return list === undefined ? '' : String(list)
  return list.length === 0 ? '[]' : list.join(', ')
}

export type NamedText = readonly [string, string]

/** Names and values as a mapping. Pairs without a name are ignored; undefined if none are left. */
export function mappingOf(pairs: readonly NamedText[]): Readonly<Record<string, string>> | undefined {
  const named = pairs.filter(([name]) => name !== '')
  return named.length === 0 ? undefined : Object.fromEntries(named)
}

export function pairsOf(mapping: unknown): readonly NamedText[] {
  return Object.entries((mapping ?? {}) as object).map(([name, value]) => [name, String(value)])
}
