import { definePart, type Part } from './part.ts'

/** Parts that follow each other, as one. */
export function joinedPart(parts: readonly Part[]): Part {
  const [only] = parts
  if (parts.length === 1 && only) return only
  return definePart({
    count: parts.reduce((sum, part) => sum + part.count, 0),
    slice: (from, to) => joinedPart(sliced(parts, from, to)),
    lengthOf: (column) => parts.reduce((sum, part) => sum + part.lengthOf(column), 0),
    fill(column, target) {
      let gaps = false
      eachInto(parts, column, target, (part, some) => {
        gaps = part.fill(column, some) || gaps
      })
      return gaps
    },
    fillTexts(column, target) {
      const places = new Map<string, number>()
      eachInto(parts, column, target, (part, some) => recode(some, part.fillTexts(column, some), places))
      return [...places.keys()]
    },
    measured: [...new Set(parts.flatMap((part) => part.measured))],
  })
}

function sliced(parts: readonly Part[], from: number, to: number): Part[] {
  let start = 0
  return parts.flatMap((part) => {
    const [first, end] = [Math.max(0, from - start), Math.min(part.count, to - start)]
    start += part.count
    return first < end ? [part.slice(first, end)] : []
  })
}

function eachInto(parts: readonly Part[], column: string, target: Float64Array, fill: (part: Part, some: Float64Array) => void): void {
  let at = 0
  for (const part of parts) {
    const length = part.lengthOf(column)
    fill(part, target.subarray(at, at + length))
    at += length
  }
}

/** Makes codes point into one dictionary, which grows by what it lacks. */
function recode(codes: Float64Array, dictionary: readonly string[], places: Map<string, number>): void {
  const moved = Float64Array.from(dictionary, (text) => {
    const place = places.get(text) ?? places.size
    places.set(text, place)
    return place
  })
  if (moved.every((place, code) => place === code)) return
  for (let row = 0; row < codes.length; row++) codes[row] = moved[codes[row] as number] ?? Number.NaN
}
