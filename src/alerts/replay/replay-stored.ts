import { randomUUID } from 'node:crypto'
import { type Check, refOf } from '../../catalogue/catalogue.ts'
import type { FiledResult, Result, Store, Window } from '../../store/store.ts'
import { dayMs, hourMs } from '../../time.ts'
import type { MessageLinks } from '../decide/input.ts'
import type { AlertPlan } from '../decide/plan.ts'
import { type ReplayedMessage, replayAlerts } from './replay.ts'

/** So much earlier results show how things stood at the start. */
export const leadMs = dayMs

export type StoredReplay = {
  readonly plan: AlertPlan
  readonly store: Pick<Store, 'scan'>
  readonly window: Window
  /** Called before each hour, and may throw to end the replay. */
  readonly checkpoint?: () => void
}

/** What channels would have been told in a window, by what a store holds of the checks that rules cover. */
export function replayStored({ plan, store, window, checkpoint = () => {} }: StoredReplay): AsyncGenerator<ReplayedMessage> {
  const results = inOrder(store, coveredChecks(plan), { from: window.from - leadMs, to: window.to }, checkpoint)
  return replayAlerts({ plan, results, ...window, newId: randomUUID, links: noLinks })
}

export function coveredChecks({ checks, rulesOf }: Pick<AlertPlan, 'checks' | 'rulesOf'>): readonly Check[] {
  return [...checks.values()].filter(({ id }) => rulesOf.has(id))
}

const noLinks: MessageLinks = {
  incident: () => ({ incident: null, acknowledge: null }),
  check: () => ({ check: null, run: null }),
}

/** The results of many checks, oldest first: an hour of them at a time, and a batch of each check, are in memory. */
async function* inOrder(
  store: Pick<Store, 'scan'>,
  checks: readonly Check[],
  window: Window,
  checkpoint: () => void,
): AsyncGenerator<readonly FiledResult[]> {
  const cursors = checks.map((check) => cursorOf(check, store.scan(refOf(check), window)))
  for (let from = window.from; from <= window.to; from += hourMs) {
    checkpoint()
    const rows = (await Promise.all(cursors.map((cursor) => cursor.until(from + hourMs)))).flat()
    if (rows.length > 0) yield rows.sort((a, b) => a.result.startedAt - b.result.startedAt)
  }
}

function cursorOf(check: Check, batches: AsyncIterable<readonly Result[]>) {
  const ref = refOf(check)
  const iterator = batches[Symbol.asyncIterator]()
  let buffer: readonly Result[] = []
  let start = 0
  let isDone = false
  return {
    /** Those that started before an instant and were not returned yet. */
    async until(instant: number): Promise<readonly FiledResult[]> {
      while (!isDone && (buffer.at(-1)?.startedAt ?? Number.NEGATIVE_INFINITY) < instant) {
        const { value, done } = await iterator.next()
        if (done) isDone = true
        else {
          buffer = [...buffer.slice(start), ...value.map(withoutPages)]
          start = 0
        }
      }
      const taken: FiledResult[] = []
      for (; start < buffer.length && (buffer[start] as Result).startedAt < instant; start++)
        taken.push({ check: ref, result: buffer[start] as Result })
      return taken
    },
  }
}

/** Alerts are decided without them, and there may be many in memory. */
const withoutPages = (result: Result): Result => (result.pages.length === 0 ? result : { ...result, pages: [] })
