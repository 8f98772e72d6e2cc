import type { CheckRef } from '../../ids/check-ref.ts'
import { compareText } from '../../text/compare-text.ts'
import type { LazyDay } from '../query/parts/day.ts'
import { idAt, type Part, textAt } from '../query/parts/part.ts'
import type { BoundedFailures, BoundedFailuresQuery, FailureGroup } from './failures.ts'
import { createFailureMerge, rejectTooMany } from './merge.ts'
import { reasonPattern } from './pattern.ts'

const failing = 1

/** Counting stops beyond this many characters. */
const maxCountedCharacters = 250_000_000
/** Characters between two checkpoints. */
const charactersPerCheckpoint = 100_000

type CheckDays = { readonly check: CheckRef; readonly days: readonly LazyDay[] }
type GroupOptions = Pick<BoundedFailuresQuery, 'locations' | 'maxCharacters'> & {
  /** Called regularly; may throw to cancel the question. */
  readonly checkpoint: () => void
}

/** Groups failing results by reason, unless their errors are too long; `days` must ascend. */
export function groupFailures(found: readonly CheckDays[], { locations, maxCharacters, checkpoint }: GroupOptions): BoundedFailures {
  const characters = countCharacters(found, checkpoint)
  if (characters > maxCharacters) return { characters }
  const merge = createFailureMerge()
  for (const { check, days } of found) {
    const groups = new Map<string | null, Group>()
    for (const day of days) addPart(groups, day.part(), { wanted: locations, checkpoint })
    for (const group of groups.values()) merge.add(finished(group, check))
  }
  return { groups: merge.all() }
}

function countCharacters(found: readonly CheckDays[], checkpoint: () => void): number {
  let characters = 0
  for (const { days } of found) {
    for (const day of days) {
      checkpoint()
      if (characters > maxCountedCharacters) return characters
      const part = day.part()
      if (hasFailing(part.ints('flags'))) for (const text of part.texts('error').dictionary) characters += text.length
    }
  }
  return characters
}

const hasFailing = (flags: Int32Array) => flags.some((bits) => bits & failing)

type Group = {
  readonly reason: string | null
  readonly locations: Set<string>
  count: number
  firstAt: number
  lastAt: number
  error: string | null
  part: Part
  row: number
}

type PartOptions = { readonly wanted: readonly string[] | null; readonly checkpoint: () => void }

function addPart(groups: Map<string | null, Group>, part: Part, { wanted, checkpoint }: PartOptions): void {
  const flags = part.ints('flags')
  if (!hasFailing(flags)) return
  const [times, errors, locations] = [part.numbers('time'), part.texts('error'), part.texts('location')]
  const reasonOf = reasonsOf(errors.dictionary, checkpoint)
  const isWanted = locations.dictionary.map((location) => wanted === null || wanted.includes(location))
  for (let row = 0; row < flags.length; row++) {
    if (!((flags[row] as number) & failing) || !isWanted[locations.codes[row] as number]) continue
    const group = groupOf(groups, reasonOf(errors.codes[row] as number), { part, at: times[row] as number })
    group.count++
    group.lastAt = times[row] as number
    group.error = textAt(errors, row)
    group.part = part
    group.row = row
    group.locations.add(textAt(locations, row) ?? '')
  }
}

/** Returns the reason for the code of a text; computes each reason once. */
function reasonsOf(dictionary: readonly string[], checkpoint: () => void): (code: number) => string | null {
  const reasons = new Map<number, string | null>()
  let characters = 0
  return (code) => {
    const known = reasons.get(code)
    if (known !== undefined) return known
    const text = dictionary[code]
    characters += text?.length ?? 0
    if (characters > charactersPerCheckpoint) {
      checkpoint()
      characters = 0
    }
    const reason = text === undefined ? null : reasonPattern(text)
    reasons.set(code, reason)
    return reason
  }
}

function groupOf(groups: Map<string | null, Group>, reason: string | null, { part, at }: { part: Part; at: number }): Group {
  const known = groups.get(reason)
  if (known) return known
  rejectTooMany(groups.size + 1)
  const group: Group = { reason, locations: new Set(), count: 0, firstAt: at, lastAt: at, error: null, part, row: 0 }
  groups.set(reason, group)
  return group
}

function finished({ reason, count, firstAt, lastAt, locations, error, part, row }: Group, check: CheckRef): FailureGroup {
  return {
    reason,
    count,
    firstAt,
    lastAt,
    locations: [...locations].sort(compareText),
    checkIds: [check.checkId],
    example: { check, resultId: idAt(part, row, check), startedAt: lastAt, error },
  }
}
