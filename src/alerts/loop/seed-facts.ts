import { type Check, refOf } from '../../catalogue/catalogue.ts'
import { rhythmOf } from '../../catalogue/rhythm.ts'
import { toStored } from '../../store/query/parts/stored-result.ts'
import { type FiledResult, type Latest, type Store, StoreUnavailable } from '../../store/store.ts'
import { dayMs } from '../../time.ts'
import type { FactsTracker } from '../facts/tracker.ts'

type SeedOptions = {
  readonly store: Pick<Store, 'latest' | 'results' | 'outages'>
  readonly tracker: FactsTracker
  readonly quorumsOf: (check: Check) => readonly (number | 'majority')[]
  readonly now: () => number
  readonly signal: AbortSignal
}

/** As many as a threshold in runs may need. */
const rowsPerLocation = 20

/** A check whose stored results are damaged. */
type UnreadCheck = { readonly check: Check; readonly error: unknown }

/**
 * Loads a tracker from the store: the newest results of all checks, and recent results of those that fail or are degraded. Returns those
 * that cannot be read: reading them again would fail, too.
 */
export async function seedFacts(checks: readonly Check[], options: SeedOptions): Promise<readonly UnreadCheck[]> {
  const { store, tracker, now, signal } = options
  const unread: UnreadCheck[] = []
  const latest = await store.latest(checks.map(refOf), { fresh: true })
  for (const [i, check] of checks.entries()) {
    signal.throwIfAborted()
    const newest = latest[i]?.byLocation ?? []
    if (newest.some(({ hasFailures, isDegraded }) => hasFailures || isDegraded))
      await seedCheck(check, options).catch((error) => {
        if (error instanceof StoreUnavailable) throw error
        unread.push({ check, error })
      })
    else tracker.add(filed(check, newest), now())
  }
  return unread
}

/** Loads the recent results of a check, and since when it is down. */
async function seedCheck(check: Check, { store, tracker, quorumsOf, now }: SeedOptions): Promise<void> {
  const at = now()
  const limit = rowsPerLocation * Math.max(1, check.locations.length)
  const window = { from: at - 400 * dayMs, to: at }
  const rowPage = { offset: 0, limit }
  const rows = await store.results({ check: refOf(check), window, location: null, hasFailures: null, before: null, rowPage })
  const outages = new Map<number | 'majority', number>()
  for (const quorum of quorumsOf(check)) {
    const source = { check: refOf(check), rhythm: rhythmOf(check) }
    const found = await store.outages({ sources: [source], window: { from: at, to: at }, now: at, quorum, minMs: 0, after: null, limit: 1 })
    const [open] = found.filter(({ to }) => to === null)
    if (open) outages.set(quorum, open.from)
  }
  const readFrom = rows.length < limit ? null : (rows.at(-1)?.startedAt ?? null)
  tracker.seed(check.id, { results: filed(check, rows), readFrom, outages }, at)
}

/** As they are announced. */
function filed(check: Check, results: readonly Latest['byLocation'][number][]): readonly FiledResult[] {
  return results.map((result) => toStored({ check: refOf(check), result }))
}
