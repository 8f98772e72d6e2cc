import type { ResultFilter } from '../../store.ts'
import { type Part, textAt } from '../parts/part.ts'

/** For each run, 1 if it passes a filter, else 0. */
export function passing(part: Part, filter: ResultFilter): Uint8Array {
  const passes = passingStatus(part, filter)
  if (filter.locations) keepLocations(part, filter.locations, passes)
  if (filter.field) keepField(part, filter.field, passes)
  return passes
}

function passingStatus(part: Part, { success, failure, states }: ResultFilter): Uint8Array {
  const passes = new Uint8Array(part.count)
  if (success && failure) return passes.fill(1)
  const flags = part.ints('flags')
  const texts = part.texts('state')
  for (let run = 0; run < part.count; run++) {
    const outcomeWanted = (flags[run] as number) & 1 ? failure : success
    const state = outcomeWanted ? null : textAt(texts, run)
    passes[run] = outcomeWanted || (state !== null && states.includes(state)) ? 1 : 0
  }
  return passes
}

function keepLocations(part: Part, locations: readonly string[], passes: Uint8Array): void {
  const { dictionary, codes } = part.texts('location')
  const known = new Set(locations)
  const wanted = dictionary.map((location) => known.has(location))
  for (let run = 0; run < passes.length; run++) if (!wanted[codes[run] as number]) passes[run] = 0
}

function keepField(part: Part, { name, values }: NonNullable<ResultFilter['field']>, passes: Uint8Array): void {
  const numbers = part.numbers(`v:${name}`)
  const wanted = new Set(values)
  for (let run = 0; run < passes.length; run++) if (!wanted.has(numbers[run] as number)) passes[run] = 0
}
