import { absentInt } from './numbers.ts'

/** Dictionary-encoded strings; the code `absentInt` means absent. */
export type Texts = { readonly dictionary: readonly string[]; readonly codes: Int32Array }

export function toTexts(values: readonly (string | null)[]): Texts {
  const codeByWord = new Map<string, number>()
  const codes = new Int32Array(values.length)
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as string | null
    codes[i] = value === null ? absentInt : codeOf(value, codeByWord)
  }
  return { dictionary: [...codeByWord.keys()], codes }
}

/** The code of a word; a new word is added to the dictionary. */
export function codeOf(word: string, codeByWord: Map<string, number>): number {
  const existing = codeByWord.get(word)
  if (existing !== undefined) return existing
  codeByWord.set(word, codeByWord.size)
  return codeByWord.size - 1
}

/** Removes unused words from the dictionary. */
export function withoutUnused(texts: Texts): Texts {
  const { dictionary, codes } = texts
  if (usesAll(texts)) return texts
  const codeByWord = new Map<string, number>()
  const newCodes = new Int32Array(dictionary.length).fill(absentInt)
  const recoded = new Int32Array(codes.length)
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] as number
    if (code !== absentInt && newCodes[code] === absentInt) newCodes[code] = codeOf(dictionary[code] as string, codeByWord)
    recoded[i] = code === absentInt ? absentInt : (newCodes[code] as number)
  }
  return { dictionary: [...codeByWord.keys()], codes: recoded }
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
