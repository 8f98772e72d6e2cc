import type { Check } from '../../catalogue/catalogue.ts'
import type { FiledResult, Store, Window } from '../../store/store.ts'
import { expectedResults, inventResults, placesOf } from './invent.ts'

const batchSize = 5000
const historyMs = 30 * 86_400_000

export type Filling = {
  readonly store: Store
  readonly checks: readonly Check[]
  readonly now: number
  /** When the story was told. */
  readonly end: number
  readonly progress: (fraction: number) => void
}

/** Gives every check what it lacks of the thirty days up to now. */
export async function fillUp({ store, checks, now, end, progress }: Filling): Promise<number> {
  const gaps = checks.flatMap((check) => placesOf(check).map((place) => ({ check, place, window: gapOf(store, check, place, now) })))
  const expected = gaps.reduce((sum, { check, window }) => sum + expectedResults(check, window), 0)
  let done = 0
  let batch: FiledResult[] = []
  const flush = async () => {
    await store.append(batch)
    done += batch.length
    batch = []
    progress(Math.min(1, done / Math.max(1, expected)))
  }
  for (const { check, place, window } of gaps) {
    const ref = { account: check.account, checkId: check.id }
    for (const result of inventResults(check, place, window, end)) {
      batch.push({ check: ref, result })
      if (batch.length === batchSize) await flush()
    }
  }
  await flush()
  return done
}

function gapOf(store: Store, check: Check, place: string, now: number): Window {
  const known = store.latest({ account: check.account, checkId: check.id })?.byLocation.find(({ runLocation }) => runLocation === place)
  return { from: Math.max(now - historyMs, (known?.startedAt ?? 0) + 1), to: now }
}
