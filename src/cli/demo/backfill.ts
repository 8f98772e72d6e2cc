import { type Check, refOf } from '../../catalogue/catalogue.ts'
import { runLocationsOf } from '../../checks/probe/pings.ts'
import type { FiledResult, Latest, Store, Window } from '../../store/store.ts'
import { dayMs } from '../../time.ts'
import { expectedResults, inventResults } from './invent.ts'
import { pausedForMs } from './scenario.ts'

const batchSize = 2000
const historyMs = 30 * dayMs

type BackfillOptions = {
  readonly store: Store
  readonly checks: readonly Check[]
  readonly now: number
  readonly end: number
  readonly progress: (fraction: number) => void
}

/** Generates the missing results of every check for the last thirty days. */
export async function backfill({ store, checks, now, end, progress }: BackfillOptions): Promise<void> {
  const latest = await store.latest(checks.map(refOf))
  const gaps = checks.map((check, i) =>
    runLocationsOf(check).map((location) => ({ check, location, window: gapOf(latest[i], location, lastInstant(check, now, end)) })),
  )
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

type Gap = { readonly check: Check; readonly location: string; readonly window: Window }

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

/** Check by check and day by day, so that the store can seal whole days during the backfill. */
function* inventAll(gaps: readonly (readonly Gap[])[], end: number): Generator<FiledResult> {
  for (const ofCheck of gaps) {
    const from = Math.min(...ofCheck.map(({ window }) => window.from))
    const to = Math.max(...ofCheck.map(({ window }) => window.to))
    for (let day = Math.floor(from / dayMs) * dayMs; day <= to; day += dayMs) {
      for (const { check, location, window } of ofCheck) {
        const part = { from: Math.max(day, window.from), to: Math.min(day + dayMs - 1, window.to) }
        for (const result of inventResults(check, location, part, end)) yield { check: refOf(check), result }
      }
    }
  }
}

/** Results of a paused check end some time ago. */
function lastInstant({ activated }: Check, now: number, end: number): number {
  return activated ? now : Math.min(now, end - pausedForMs)
}

function gapOf(latest: Latest | undefined, location: string, now: number): Window {
  const newest = latest?.byLocation.find(({ runLocation }) => runLocation === location)
  return { from: Math.max(now - historyMs, (newest?.startedAt ?? 0) + 1), to: now }
}
