import { compareText } from '../../text/compare-text.ts'
import type { CheckRef } from '../check-ref.ts'
import type { Day } from '../query/day.ts'
import { idAt, type Part, textAt } from '../query/part.ts'
import { QueryTooLarge } from '../store.ts'
import type { FailureGroup } from './failures.ts'
import { reasonPattern } from './pattern.ts'

/** Beyond this, an answer would be no summary. */
const maxReasons = 20_000
const failing = 1

/** The failing results of a check by reason, over days in order of time. */
export function groupFailures(check: CheckRef, days: readonly Day[], locations: readonly string[] | null): readonly FailureGroup[] {
  const groups = new Map<string | null, Group>()
  for (const day of days) addPart(groups, day.part(), locations)
  return Array.from(groups.values(), (group) => finished(group, check))
}

/** The groups of several calls together: the most frequent first, then the newest. */
export function mergeFailures(found: readonly FailureGroup[]): readonly FailureGroup[] {
  const merged = new Map<string | null, FailureGroup>()
  for (const group of found) {
    const other = merged.get(group.reason)
    merged.set(group.reason, other ? joined(other, group) : group)
    rejectTooMany(merged.size)
  }
  return [...merged.values()].sort((a, b) => b.count - a.count || b.lastAt - a.lastAt || compareReasons(a.reason, b.reason))
}

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

function addPart(groups: Map<string | null, Group>, part: Part, wanted: readonly string[] | null): void {
  const flags = part.ints('flags')
  if (!flags.some((bits) => bits & failing)) return
  const [times, errors, locations] = [part.numbers('time'), part.texts('error'), part.texts('location')]
  const reasons = errors.dictionary.map(reasonPattern)
  const isWanted = locations.dictionary.map((location) => wanted === null || wanted.includes(location))
  for (let row = 0; row < flags.length; row++) {
    if (!((flags[row] as number) & failing) || !isWanted[locations.codes[row] as number]) continue
    const group = groupOf(groups, reasons[errors.codes[row] as number] ?? null, { part, at: times[row] as number })
    group.count++
    group.lastAt = times[row] as number
    group.error = textAt(errors, row)
    group.part = part
    group.row = row
    group.locations.add(textAt(locations, row) ?? '')
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

function rejectTooMany(reasons: number): void {
  if (reasons > maxReasons) throw new QueryTooLarge(`it has more than ${maxReasons.toLocaleString('en')} different reasons`)
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

function joined(a: FailureGroup, b: FailureGroup): FailureGroup {
  const isNewer = b.lastAt > a.lastAt || (b.lastAt === a.lastAt && compareText(b.example.check.checkId, a.example.check.checkId) < 0)
  return {
    reason: a.reason,
    count: a.count + b.count,
    firstAt: Math.min(a.firstAt, b.firstAt),
    lastAt: Math.max(a.lastAt, b.lastAt),
    locations: union(a.locations, b.locations),
    checkIds: union(a.checkIds, b.checkIds),
    example: isNewer ? b.example : a.example,
  }
}

const union = (a: readonly string[], b: readonly string[]) => [...new Set([...a, ...b])].sort(compareText)

function compareReasons(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return compareText(a, b)
}
