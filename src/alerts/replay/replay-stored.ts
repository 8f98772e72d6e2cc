import { randomUUID } from 'node:crypto'
import { type Check, refOf } from '../../catalogue/catalogue.ts'
import type { FiledResult, Result, Store, Window } from '../../store/store.ts'
import { dayMs, hourMs } from '../../time.ts'
import type { MessageLinks } from '../decide/input.ts'
import type { AlertPlan } from '../decide/plan.ts'
import type { AlertHistory } from '../outbox/alert-history.ts'
import { type ReplayedMessage, replayAlerts } from './replay.ts'
import { burnChecks, longestBurnMs, pagesMatterTo } from './replayed-burn.ts'

/** Results from this long before the window build the state at its start. */
const leadMs = dayMs

export type StoredReplay = {
  readonly plan: AlertPlan
  readonly store: Pick<Store, 'scan'>
  readonly history: AlertHistory
  readonly window: Window
  /** Called before each hour, and may throw to end the replay. */
  readonly checkpoint?: () => void
}

/** The messages that channels would have received in a window, from stored results of the checks that matter to rules. */
export function replayStored({ plan, store, history, window, checkpoint = () => {} }: StoredReplay): AsyncGenerator<ReplayedMessage> {
  const checks = replayedChecks(plan, window)
  const resultsFrom = Math.min(window.from - leadMs, ...checks.map(({ from }) => from))
  const results = inOrder(store, checks, { from: resultsFrom, to: window.to }, checkpoint)
  const start = { resultsFrom, burnFrom: window.from - leadMs }
  return replayAlerts({ plan, results, history, ...start, ...window, newId: randomUUID, links: noLinks, checkpoint })
}

export type ReplayedCheck = {
  readonly check: Check
  /** Whether alerts depend on metrics of its pages; otherwise pages are dropped, since there may be many. */
  readonly hasPages: boolean
  /** The start of the first result that matters. */
  readonly from: number
}

/** Checks that rules select, those that they depend on, and those of SLOs that rules use. */
export function replayedChecks(plan: AlertPlan, window: Pick<Window, 'from'>): readonly ReplayedCheck[] {
  const { checks, rulesOf, ancestors } = plan
  const from = window.from - leadMs
  const starts = new Map<string, number>()
  for (const id of rulesOf.keys()) for (const each of [id, ...(ancestors.get(id) ?? [])]) starts.set(each, from)
  const burnFrom = from - longestBurnMs(plan)
  for (const { id } of burnChecks(plan)) starts.set(id, burnFrom)
  const hasPages = pagesMatterTo(plan)
  return [...starts].flatMap(([id, start]) => {
    const check = checks.get(id)
    return check ? [{ check, hasPages: hasPages(check), from: start }] : []
  })
}

const noLinks: MessageLinks = {
  incident: () => ({ incident: null, acknowledge: null }),
  check: () => ({ check: null, run: null }),
}

/** Merges the results of many checks, oldest first. Keeps an hour of results and a batch per check in memory. */
async function* inOrder(
  store: Pick<Store, 'scan'>,
  checks: readonly ReplayedCheck[],
  window: Window,
  checkpoint: () => void,
): AsyncGenerator<readonly FiledResult[]> {
  const cursors = checks.map((each) => cursorOf(each, store.scan(refOf(each.check), { from: each.from, to: window.to })))
  for (let from = window.from; from <= window.to; from += hourMs) {
    checkpoint()
    const rows = (await Promise.all(cursors.map((cursor) => cursor.until(from + hourMs)))).flat()
    if (rows.length > 0) yield rows.sort((a, b) => a.result.startedAt - b.result.startedAt)
  }
}

function cursorOf({ check, hasPages }: ReplayedCheck, batches: AsyncIterable<readonly Result[]>) {
  const ref = refOf(check)
  const iterator = batches[Symbol.asyncIterator]()
  let buffer: readonly Result[] = []
  let start = 0
  let isDone = false
  return {
    /** Results that started before an instant and were not returned yet. */
    async until(instant: number): Promise<readonly FiledResult[]> {
      while (!isDone && (buffer.at(-1)?.startedAt ?? Number.NEGATIVE_INFINITY) < instant) {
        const { value, done } = await iterator.next()
        if (done) isDone = true
        else {
          buffer = [...buffer.slice(start), ...(hasPages ? value : value.map(withoutPages))]
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

const withoutPages = (result: Result): Result => (result.pages.length === 0 ? result : { ...result, pages: [] })
