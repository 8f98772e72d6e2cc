import { absentInt } from './numbers.ts'

/** Dictionary-encoded strings; the code `absentInt` means absent. */
export type Texts = { readonly dictionary: readonly string[]; readonly codes: Int32Array }

export function toTexts(values: readonly (string | null)[]): Texts {
  const places = new Map<string, number>()
  const codes = new Int32Array(values.length)
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as string | null
    codes[i] = value === null ? absentInt : codeOf(value, places)
  }
  return { dictionary: [...places.keys()], codes }
}

/** The place of a word in a dictionary, which grows where it lacks it. */
export function codeOf(word: string, places: Map<string, number>): number {
  const known = places.get(word)
  if (known !== undefined) return known
  places.set(word, places.size)
  return places.size - 1
}

/** The same texts without words that none of them is. */
export function withoutUnused(texts: Texts): Texts {
  const { dictionary, codes } = texts
  if (usesAll(texts)) return texts
  const places = new Map<string, number>()
  const moved = new Int32Array(dictionary.length).fill(absentInt)
  const kept = new Int32Array(codes.length)
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] as number
    if (code !== absentInt && moved[code] === absentInt) moved[code] = codeOf(dictionary[code] as string, places)
    kept[i] = code === absentInt ? absentInt : (moved[code] as number)
  }
  return { dictionary: [...places.keys()], codes: kept }
}

function usesAll({ dictionary, codes }: Texts): boolean {
  const used = new Uint8Array(dictionary.length)
  let unused = dictionary.length
  for (let i = 0; i < codes.length && unused > 0; i++) {
    const code = codes[i] as number
    if (code === absentInt || used[code] === 1) continue
    used[code] = 1
    unused--
  }
  return unused === 0
}
