import type { LocationStates } from './location-states.ts'
import { unknownCode } from './state.ts'

/** Finds the holds that end without a newer result, in ascending order. */
export type Expiries = {
  /** Nothing expires before this instant. */
  readonly next: number
  /** Calls back for each hold that ends at or before `through`. Results from then on hold for `holdMs`, until `forget`. */
  expire(through: number, holdMs: number, onExpire: (location: number, at: number) => void): void
  /** Must be called when results begin to hold for another time. */
  forget(): void
}

/**
 * Looks at all known locations once per quarter of a hold, and sorts those that end within it. A location that runs in time has a
 * newer result by then, so each result costs about one look, however many locations there are.
 */
export function expiriesOf(states: LocationStates): Expiries {
  let endings = none
  let cursor = 0
  let lookedTo = Number.NEGATIVE_INFINITY
  let next = Number.NEGATIVE_INFINITY
  return {
    get next() {
      return next
    },
    expire(through, holdMs, onExpire) {
      while (next <= through) {
        if (cursor === endings.length) {
          lookedTo = through + Math.floor(holdMs / 4)
          endings = endingsUpTo(states, lookedTo)
          cursor = 0
        } else {
          const ending = endings[cursor++] as Ending
          if (isCurrent(states, ending)) onExpire(ending.location, ending.at)
        }
        next = cursor < endings.length ? (endings[cursor] as Ending).at : lookedTo + 1
      }
    },
    forget() {
      endings = none
      cursor = 0
      next = Number.NEGATIVE_INFINITY
    },
  }
}

type Ending = { readonly location: number; readonly at: number }
const none: readonly Ending[] = []

function endingsUpTo({ known, until }: LocationStates, to: number): readonly Ending[] {
  let endings: Ending[] | null = null
  for (let i = 0; i < known.size; i++) {
    const location = known.members[i] as number
    const at = until[location] as number
    if (at > to) continue
    endings ??= []
    endings.push({ location, at })
  }
  return endings?.sort((a, b) => a.at - b.at) ?? none
}

/** Whether no newer result has extended or replaced it. */
function isCurrent({ codes, until }: LocationStates, { location, at }: Ending): boolean {
  return codes[location] !== unknownCode && until[location] === at
}
