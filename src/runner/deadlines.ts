import { type Catalogue, type Check, refOf, uniqueName } from '../catalogue/catalogue.ts'
import { type Beat, deadlineAfter, pingOutcome, type Rhythm } from '../checks/probe/pings.ts'
import { derivedId } from '../store/derived-id.ts'
import { newestOf } from '../store/state.ts'
import type { CheckRef, FiledResult, Result, Store } from '../store/store.ts'
import type { Clock } from './clock.ts'

type Deadlines = {
  /** Takes up what the catalogue says now. */
  reload(): void
  close(): void
}

type DeadlinesOptions = {
  readonly catalogue: Pick<Catalogue, 'allChecks'>
  readonly latest: Store['latest']
  readonly put: (result: FiledResult) => void
  readonly clock: Clock
}

type Watch = {
  readonly ref: CheckRef
  readonly rhythm: Rhythm
  /** When watching began, and whether the check was there from the start of this process. */
  readonly since: number
  readonly fromStart: boolean
  pending: Pending | null
}
/** A deadline and when, on the steady clock, it has surely passed; null once it is dealt with. */
type Pending = { readonly after: string; readonly deadline: number; dueAt: number | null }

const sweepMs = 1000
/** A ping that came in time may still be on its way to the store. */
const settleMs = 1000

/** Files a failing result for each ping that did not come by its deadline. */
export function watchDeadlines({ catalogue, latest, put, clock }: DeadlinesOptions): Deadlines {
  let watches = new Map<string, Watch>()
  let cancelTimer = () => {}
  let closed = false

  function reload(fromStart = false): void {
    const checks = catalogue.allChecks().filter(({ activated, checkType }) => activated && checkType.pinged)
    watches = new Map(checks.map((check) => [uniqueName(check), renewed(check, fromStart)]))
  }

  function renewed(check: Check, fromStart: boolean): Watch {
    const known = watches.get(uniqueName(check))
    const rhythm = check.checkType.pinged?.(check.settings) ?? { periodMs: check.everyMs, graceMs: 0 }
    if (known && known.rhythm.periodMs === rhythm.periodMs && known.rhythm.graceMs === rhythm.graceMs) return known
    const ref = refOf(check)
    return { ref, rhythm, since: known?.since ?? clock.now(), fromStart: known?.fromStart ?? fromStart, pending: null }
  }

  /** While the store cannot answer, deadlines wait for the next sweep. */
  async function sweep(): Promise<void> {
    const swept = [...watches.values()]
    const answers = await latest(swept.map(({ ref }) => ref)).catch(() => [])
    if (closed) return
    for (const [i, { byLocation }] of answers.entries()) look(swept[i] as Watch, newestOf(byLocation))
    cancelTimer = clock.after(sweepMs, sweep)
  }

  function look(watch: Watch, newest: Result | null): void {
    if (newest === null) return
    if (watch.pending?.after !== newest.id) watch.pending = expect(watch, newest)
    const { pending } = watch
    if (pending.dueAt === null || clock.monotonic() < pending.dueAt) return
    pending.dueAt = null
    put({ check: watch.ref, result: missedAt(watch.ref, pending.deadline) })
  }

  function expect(watch: Watch, newest: Result): Pending {
    const deadline = deadlineAfter(beatOf(watch, newest), watch.rhythm, watch.since) ?? Number.POSITIVE_INFINITY
    return { after: newest.id, deadline, dueAt: clock.monotonic() + (deadline - clock.now()) + settleMs }
  }

  reload(true)
  void sweep()
  return {
    reload: () => reload(),
    close() {
      closed = true
      cancelTimer()
    },
  }
}

/** Nothing was expected of a check before it was activated: its first period begins there. */
function beatOf({ fromStart, since }: Watch, newest: Result): Beat {
  return fromStart || newest.startedAt >= since ? newest : { startedAt: since, hasFailures: false, hasErrors: false }
}

function missedAt(ref: CheckRef, deadline: number): Result {
  const outcome = pingOutcome('missed', deadline)
  return { id: derivedId(ref, outcome.runLocation, deadline), ...outcome }
}
