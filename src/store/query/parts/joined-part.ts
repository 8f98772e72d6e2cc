import { once } from '../../../cache/cache.ts'
import { absentInt } from '../../kernels/numbers.ts'
import { codeOf } from '../../kernels/texts.ts'
import { joinHours } from '../../kernels/time-runs.ts'
import { definePart, type Part } from './part.ts'

/** Concatenates parts. Empty ones are left out, because their span says nothing about the results. */
export function joinedPart(all: readonly Part[]): Part {
  const parts = all.filter(({ count }) => count > 0)
  const [only] = parts
  if (parts.length === 1 && only) return only
  const count = parts.reduce((sum, part) => sum + part.count, 0)
  const decoded = once(() => joined.numbers('time'))
  const joined = definePart({
    count,
    span: { from: only?.span.from ?? 0, to: parts.at(-1)?.span.to ?? 0 },
    slice: (from, to) => joinedPart(sliced(parts, from, to)),
    lengthOf: (column) => parts.reduce((sum, part) => sum + part.lengthOf(column), 0),
    fill: (column, target) => eachInto(parts, column, target, (part, some) => part.fill(column, some)).some(Boolean),
    holdsInts: (column, scale) => parts.every((part) => part.holdsInts(column, scale)),
    fillInts: (column, scale, target) => eachInto(parts, column, target, (part, some) => part.fillInts(column, scale, some)).some(Boolean),
    fillTexts(column, target) {
      const codeByWord = new Map<string, number>()
      eachInto(parts, column, target, (part, some) => recode(some, part.fillTexts(column, some), codeByWord))
      return [...codeByWord.keys()]
    },
    measured: [...new Set(parts.flatMap((part) => part.measured))],
    times() {
      const hours = parts.flatMap((part) => part.times().hours ?? [])
      const at = (run: number) => decoded()[run] as number
      return { count, at, ...(hours.length === parts.length && { hours: () => joinHours(hours.map((hoursOf) => hoursOf())) }) }
    },
  })
  return joined
}

function sliced(parts: readonly Part[], from: number, to: number): Part[] {
  let start = 0
  return parts.flatMap((part) => {
    const [first, end] = [Math.max(0, from - start), Math.min(part.count, to - start)]
    start += part.count
    return first < end ? [part.slice(first, end)] : []
  })
}

/** Calls `fill` for each part with its slice of `target`; returns their results. */
function eachInto<Target extends Float64Array | Int32Array, Returned>(
  parts: readonly Part[],
  column: string,
  target: Target,
  fill: (part: Part, some: Target) => Returned,
): Returned[] {
  let at = 0
  return parts.map((part) => {
    const start = at
    at += part.lengthOf(column)
    return fill(part, target.subarray(start, at) as Target)
  })
}

/** Recodes in place to a shared, growing dictionary. The cost grows with the rows, not with the dictionary. */
function recode(codes: Int32Array, dictionary: readonly string[], codeByWord: Map<string, number>): void {
  const newCodeOf = (code: number) => codeOf(dictionary[code] as string, codeByWord)
  const recoded = dictionary.length <= codes.length ? memoized(newCodeOf, dictionary.length) : newCodeOf
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row] as number
    if (code !== absentInt) codes[row] = recoded(code)
  }
}

function memoized(newCodeOf: (code: number) => number, size: number): (code: number) => number {
  const known = new Int32Array(size).fill(absentInt)
  return (code) => {
    if (known[code] === absentInt) known[code] = newCodeOf(code)
    return known[code] as number
  }
}
