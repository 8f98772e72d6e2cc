import type { Texts } from './kernels/text-column.ts'
import { definePart, type Part } from './part.ts'

/** Parts that follow each other, as one. */
export function joinedPart(parts: readonly Part[]): Part {
  const [only] = parts
  if (parts.length === 1 && only) return only
  return definePart({
    count: parts.reduce((sum, part) => sum + part.count, 0),
    lengthOf: (column) => parts.reduce((sum, part) => sum + part.lengthOf(column), 0),
    fill(column, target) {
      let at = 0
      for (const part of parts) {
        const length = part.lengthOf(column)
        part.fill(column, target.subarray(at, at + length))
        at += length
      }
    },
    texts: (column) => joinTexts(parts.map((part) => part.texts(column))),
    measured: [...new Set(parts.flatMap((part) => part.measured))],
  })
}

function joinTexts(columns: readonly Texts[]): Texts {
  const places = new Map<string, number>()
  const codes = new Float64Array(columns.reduce((sum, column) => sum + column.codes.length, 0))
  let at = 0
  for (const { dictionary, codes: some } of columns) {
    const recode = Float64Array.from(dictionary, (text) => {
      const place = places.get(text) ?? places.size
      places.set(text, place)
      return place
    })
    for (let row = 0; row < some.length; row++) codes[at + row] = recode[some[row] as number] ?? Number.NaN
    at += some.length
  }
  return { dictionary: [...places.keys()], codes }
}
