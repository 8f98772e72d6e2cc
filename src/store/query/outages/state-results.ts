import { codeOf } from '../../kernels/texts.ts'
import type { CheckRef, Window } from '../../store.ts'
import type { ResultRows } from '../../timeline/changes.ts'
import type { NamedResults } from '../../timeline/check-states.ts'
import type { DayReader } from '../parts/day.ts'
import type { Part } from '../parts/part.ts'

/** The parts of the results of one check that determine its states: time, location and outcome. */
export function stateResults(reader: DayReader, check: CheckRef): NamedResults {
  const codeByName = new Map<string, number>()
  return {
    *chunks(window: Window) {
      for (const day of reader.days(check, window, 'all at once')) yield chunkOf(day.part(), codeByName)
    },
    hasBefore: (instant) => reader.hasBefore(check, instant),
    nameOf: (location) => [...codeByName.keys()][location] ?? '',
  }
}

const failing = 1
const degraded = 4
/** The outcome of a result by its flags. */
const outcomeOf = Uint8Array.from({ length: 16 }, (_, flags) => (flags & failing ? 2 : flags & degraded ? 1 : 0))

function chunkOf(part: Part, codeByName: Map<string, number>): ResultRows {
  const flags = part.ints('flags')
  const outcomes = new Uint8Array(part.count)
  for (let row = 0; row < outcomes.length; row++) outcomes[row] = outcomeOf[flags[row] as number] as number
  return { times: part.numbers('time'), locations: locationsOf(part, codeByName), outcomes }
}

/** The location of each result, as a code that is the same in all parts of the check. */
function locationsOf(part: Part, codeByName: Map<string, number>): Int32Array {
  const { dictionary, codes } = part.texts('location')
  const common = Int32Array.from(dictionary, (name) => codeOf(name, codeByName))
  if (common.every((code, i) => code === i)) return codes
  for (let row = 0; row < codes.length; row++) codes[row] = common[codes[row] as number] as number
  return codes
}
