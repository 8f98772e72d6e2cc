import { absentInt, isInt, type Scale } from '../../kernels/numbers.ts'
import { toTexts } from '../../kernels/texts.ts'
import { definePart, isPageColumn, type Part } from './part.ts'
import { flagsOf, type StoredResult } from './stored-result.ts'

export function memoryPart(results: readonly StoredResult[]): Part {
  const pages = results.some((result) => result.pages.length > 0) ? results.flatMap((result) => result.pages) : []
  const entriesOf = (column: string) => (isPageColumn(column) ? pages : results)
  const fill = (column: string, target: Float64Array): true => {
    const numberOf = plainNumbers[column]
    if (numberOf) for (let run = 0; run < target.length; run++) target[run] = numberOf(results[run] as StoredResult)
    else fillMeasured(entriesOf(column), column.slice(2), target)
    return true
  }
  const numbersOf = (column: string) => {
    const numbers = new Float64Array(entriesOf(column).length)
    fill(column, numbers)
    return numbers
  }
  return definePart({
    count: results.length,
    span: { from: results[0]?.startedAt ?? 0, to: results.at(-1)?.startedAt ?? 0 },
    slice: (from, to) => memoryPart(results.slice(from, to)),
    times: () => ({ count: results.length, at: (run) => (results[run] as StoredResult).startedAt }),
    lengthOf: (column) => entriesOf(column).length,
    fill,
    holdsInts: (column, scale) => numbersOf(column).every((value) => mayBeInt(value, scale)),
    fillInts(column, scale, target) {
      const numbers = numbersOf(column)
      for (let entry = 0; entry < target.length; entry++) target[entry] = toInt(numbers[entry] as number, scale)
      return true
    },
    fillTexts(column, target) {
      const texts = column === 'pageUrl' ? pages.map((page) => page.pageUrl) : results.map((result) => textOf(result, column))
      const { dictionary, codes } = toTexts(texts)
      target.set(codes)
      return dictionary
    },
    measured: [...namesIn(results).map((name) => `v:${name}`), ...namesIn(pages).map((name) => `p:${name}`)],
  })
}

type Measured = { readonly values: Readonly<Record<string, number>> }

function fillMeasured(entries: readonly Measured[], name: string, target: Float64Array): void {
  for (let entry = 0; entry < target.length; entry++) target[entry] = entries[entry]?.values[name] ?? Number.NaN
}

function namesIn(measured: readonly Measured[]): string[] {
  const names = new Set<string>()
  for (const { values } of measured) for (const name in values) names.add(name)
  return [...names]
}

const mayBeInt = (value: number, scale: Scale) => Number.isNaN(value) || isInt(value, scale)
const toInt = (value: number, scale: Scale) => (Number.isNaN(value) ? absentInt : Math.round(value * scale))

const plainNumbers: Readonly<Record<string, (result: StoredResult) => number>> = {
  time: ({ startedAt }) => startedAt,
  flags: flagsOf,
  attempts: ({ attempts }) => attempts,
  pages: ({ pages }) => pages.length,
}

function textOf(result: StoredResult, column: string): string | null {
  if (column === 'location') return result.runLocation
  if (column === 'state') return result.state
  if (column === 'error') return result.error
  return result.id
}
