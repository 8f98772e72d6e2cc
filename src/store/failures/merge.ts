import { createTurns } from '../../concurrency/turns.ts'
import { compareText } from '../../text/compare-text.ts'
import { QueryTooLarge } from '../store.ts'
import type { FailureGroup } from './failures.ts'

/** An answer with more reasons would not be a summary. */
const maxReasons = 20_000
/** Limit of check ids in an answer: each reason lists all of its checks. */
const maxNamed = 500_000

type Merged = Pick<FailureGroup, 'reason'> & {
  readonly locations: Set<string>
  readonly checkIds: Set<string>
  count: number
  firstAt: number
  lastAt: number
  example: FailureGroup['example']
}

/** Merges the groups of several checks, in time proportional to their number. */
export function createFailureMerge() {
  const merged = new Map<string | null, Merged>()
  let named = 0
  const add = (group: FailureGroup): void => {
    named += group.checkIds.length
    if (named > maxNamed) throw new QueryTooLarge(`its reasons name checks more than ${maxNamed.toLocaleString('en')} times`)
    const known = merged.get(group.reason)
    if (known) join(known, group)
    else merged.set(group.reason, { ...group, locations: new Set(group.locations), checkIds: new Set(group.checkIds) })
    rejectTooMany(merged.size)
  }
  const inOrder = () => [...merged.values()].sort((a, b) => b.count - a.count || b.lastAt - a.lastAt || compareReasons(a.reason, b.reason))
  return {
    add,
    /** Most frequent first, then newest. */
    all: (): readonly FailureGroup[] => inOrder().map(finished),
    /** `addInTurns` and `allInTurns` are `add` and `all` for the main thread: they yield to the event loop. */
    async addInTurns(groups: readonly FailureGroup[]): Promise<void> {
      const turns = createTurns()
      for (const group of groups) {
        add(group)
        await turns(1 + group.checkIds.length / namesPerRow)
      }
    },
    async allInTurns(): Promise<readonly FailureGroup[]> {
      const turns = createTurns()
      const all: FailureGroup[] = []
      for (const group of inOrder()) {
        all.push(finished(group))
        await turns(1 + group.checkIds.size / namesPerRow)
      }
      return all
    },
  }
}

/** This many check ids take as long to merge or sort as one row. */
const namesPerRow = 5

export function rejectTooMany(reasons: number): void {
  if (reasons > maxReasons) throw new QueryTooLarge(`it has more than ${maxReasons.toLocaleString('en')} different reasons`)
}

function join(into: Merged, { count, firstAt, lastAt, locations, checkIds, example }: FailureGroup): void {
  const isNewer = lastAt > into.lastAt || (lastAt === into.lastAt && compareText(example.check.checkId, into.example.check.checkId) < 0)
  if (isNewer) into.example = example
  into.count += count
  into.firstAt = Math.min(into.firstAt, firstAt)
  into.lastAt = Math.max(into.lastAt, lastAt)
  for (const location of locations) into.locations.add(location)
  for (const id of checkIds) into.checkIds.add(id)
}

function finished({ locations, checkIds, ...group }: Merged): FailureGroup {
  return { ...group, locations: [...locations].sort(compareText), checkIds: [...checkIds].sort(compareText) }
}

function compareReasons(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return compareText(a, b)
}
