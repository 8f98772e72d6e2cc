import { dayMs, dayOf } from '../../time.ts'
import type { CheckRef, Window } from '../store.ts'
import { createBatchedAppend } from './batched-append.ts'
import type { DayCount } from './contents.ts'
import { type Copy, copyDays } from './copy.ts'
import { type DifferingPart, dayWindow, differingParts } from './plan-copy.ts'

/** The outcome of a comparison of all results by their identities. */
export type Verification = {
  readonly results: number
  /** Results that arrived after the copy, and were copied by the verification. */
  readonly added: number
  /** Days on which the destination lacks results, although all were copied. */
  readonly missing: readonly UnequalDay[]
  /** Days on which the destination has results that the source lacks. */
  readonly more: readonly UnequalDay[]
}

export type UnequalDay = { readonly check: CheckRef; readonly day: number; readonly source: number; readonly destination: number }

/** Results that are compared at a time. */
const maxCompared = 200_000
/** Limit of unequal days in the report. */
const maxUnequal = 10_000

/** Compares all results of these checks, and copies differing days once more. A day that changes during the comparison is skipped. */
export async function verifyResults(copy: Copy, checks: readonly CheckRef[]): Promise<Verification> {
  const found = { results: 0, added: 0, missing: [] as UnequalDay[], more: [] as UnequalDay[] }
  for (const check of checks) {
    const [counts = []] = await copy.source.dayCounts([check])
    for (const window of comparedWindows(counts)) {
      const parts = await differingParts(copy, { check, window, widthMs: dayMs })
      if (parts.length > 0) await settle(copy, { check, parts, found })
    }
    const results = counts.reduce((sum, day) => sum + day.results, 0)
    found.results += results
    copy.advance(results)
  }
  return found
}

type Found = { added: number; readonly missing: UnequalDay[]; readonly more: UnequalDay[] }
type Differing = { readonly check: CheckRef; readonly parts: readonly DifferingPart[]; readonly found: Found }

/** Copies the days that differ, and compares them again. */
async function settle(copy: Copy, { check, parts, found }: Differing): Promise<void> {
  const days = parts.map(({ from, results, existing }) => ({ day: dayOf(from), results, existing: existing?.results ?? 0 }))
  const batch = createBatchedAppend(copy.destination)
  await copyDays({ ...copy, advance: () => {} }, batch, { check, days })
  await batch.flush()
  found.added += batch.added()
  for (const before of parts) {
    const [after] = await differingParts(copy, { check, window: dayWindow(dayOf(before.from)), widthMs: dayMs })
    if (!after || after.digest !== before.digest) continue
    const destination = after.existing?.results ?? 0
    const list = destination > after.results ? found.more : found.missing
    if (list.length < maxUnequal) list.push({ check, day: dayOf(after.from), source: after.results, destination })
  }
}

/** Windows of whole days, each with at most `maxCompared` results unless a single day has more. */
function* comparedWindows(counts: readonly DayCount[]): Generator<Window> {
  let first = 0
  let sum = 0
  for (const [i, { results }] of counts.entries()) {
    if (i > first && sum + results > maxCompared) {
      yield windowOf(counts, first, i - 1)
      first = i
      sum = 0
    }
    sum += results
  }
  if (counts.length > 0) yield windowOf(counts, first, counts.length - 1)
}

const windowOf = (counts: readonly DayCount[], first: number, last: number): Window => ({
  from: dayWindow(counts[first]?.day ?? 0).from,
  to: dayWindow(counts[last]?.day ?? 0).to,
})
