import type { Texts } from './kernels/text-column.ts'
import type { Part } from './part.ts'

/** Parts that follow each other, as one. Each column that it gives is the caller's own. */
export function joinedPart(parts: readonly Part[]): Part {
  return {
    count: parts.reduce((sum, part) => sum + part.count, 0),
    numbers: (column) => joinNumbers(parts.map((part) => part.numbers(column))),
    texts: (column) => joinTexts(parts.map((part) => part.texts(column))),
    measured: [...new Set(parts.flatMap((part) => part.measured))],
  }
}

function joinNumbers(columns: readonly Float64Array[]): Float64Array {
  const joined = new Float64Array(columns.reduce((sum, column) => sum + column.length, 0))
  let at = 0
  for (const column of columns) {
    joined.set(column, at)
    at += column.length
  }
  return joined
}

function joinTexts(columns: readonly Texts[]): Texts {
  const places = new Map<string, number>()
  const recoded = columns.map(({ dictionary, codes }) => {
    const recode = dictionary.map((text) => {
      const place = places.get(text) ?? places.size
      places.set(text, place)
      return place
    })
    return recode.every((place, code) => place === code) ? codes : codes.map((code) => recode[code] ?? Number.NaN)
  })
  return { dictionary: [...places.keys()], codes: joinNumbers(recoded) }
}
