import { type Check, refOf } from '../../catalogue/catalogue.ts'
import type { FiledResult, Latest, Store, Window } from '../../store/store.ts'
import { expectedResults, inventResults, placesOf } from './invent.ts'

const batchSize = 2000
const dayMs = 86_400_000
const historyMs = 30 * dayMs

type Filling = {
  readonly store: Store
  readonly checks: readonly Check[]
  readonly now: number
  /** When the story was told. */
  readonly end: number
  readonly progress: (fraction: number) => void
}

/** Gives every check what it lacks of the thirty days up to now. */
export async function fillUp({ store, checks, now, end, progress }: Filling): Promise<void> {
  const latest = await store.latest(checks.map(refOf))
  const gaps = checks.map((check, i) => placesOf(check).map((place) => ({ check, place, window: gapOf(latest[i], place, now) })))
  const expected = gaps.flat().reduce((sum, { check, window }) => sum + expectedResults(check, window), 0)
  let done = 0
  let storing: Promise<unknown> = Promise.resolve()
  for (const batch of batches(gaps, end)) {
    await storing
    progress(Math.min(1, done / Math.max(1, expected)))
    storing = store.append(batch)
    done += batch.length
  }
  await storing
}

type Gap = { readonly check: Check; readonly place: string; readonly window: Window }

function* batches(gaps: readonly (readonly Gap[])[], end: number): Generator<readonly FiledResult[]> {
  let batch: FiledResult[] = []
  for (const filed of inventAll(gaps, end)) {
    batch.push(filed)
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Check by check and day by day, so that the store can put whole days away as it goes. */
function* inventAll(gaps: readonly (readonly Gap[])[], end: number): Generator<FiledResult> {
  for (const ofCheck of gaps) {
    const from = Math.min(...ofCheck.map(({ window }) => window.from))
    const to = Math.max(...ofCheck.map(({ window }) => window.to))
    for (let day = Math.floor(from / dayMs) * dayMs; day <= to; day += dayMs) {
      for (const { check, place, window } of ofCheck) {
        const part = { from: Math.max(day, window.from), to: Math.min(day + dayMs - 1, window.to) }
        for (const result of inventResults(check, place, part, end)) yield { check: refOf(check), result }
      }
    }
  }
}

function gapOf(latest: Latest | undefined, place: string, now: number): Window {
  const known = latest?.byLocation.find(({ runLocation }) => runLocation === place)
  return { from: Math.max(now - historyMs, (known?.startedAt ?? 0) + 1), to: now }
}
