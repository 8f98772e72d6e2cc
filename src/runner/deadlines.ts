import { isDeepStrictEqual } from 'node:util'
import { type Catalogue, type Check, refOf } from '../catalogue/catalogue.ts'
import { deadlineAfter, isOfThePast, type PingResult, type PingSchedule, pingOutcome } from '../checks/probe/pings.ts'
import { checkKey } from '../ids/check-ref.ts'
import { newestOf } from '../store/current-state.ts'
import { derivedId } from '../store/derived-id.ts'
import type { CheckRef, FiledResult, LatestResult, Result, Store } from '../store/store.ts'
import type { RunClock } from './clock.ts'

type Deadlines = {
  /** Applies the current catalogue. */
  reload(): void
  close(): void
}

type DeadlinesOptions = {
  readonly catalogue: Pick<Catalogue, 'allChecks'>
  readonly latest: Store['latest']
  readonly put: (result: FiledResult) => void
  readonly onResult: (check: CheckRef, result: Result) => void
  readonly clock: RunClock
}

type Watch = {
  readonly ref: CheckRef
  readonly schedule: PingSchedule
  /** When watching began, in steady time, and whether that was at the start of this process. */
  readonly since: number
  readonly fromStart: boolean
  pending: Pending | null
}
/** `after` is the id of the newest result, which `isOfThePast` describes; `deadline` is in steady time. */
type Pending = { readonly after: string; readonly isOfThePast: boolean; readonly deadline: number; handled: boolean }

const everyMs = 1000
/** A ping that arrived in time may still be on its way to the store. */
const settleMs = 1000
/** Smaller differences between the clocks are not jumps. */
const minJumpMs = 1000
/** Servers that start at almost the same time compute the same deadlines, or deadlines this far apart. */
const startGridMs = 10_000

/** Stores a failing result for each ping that did not arrive by its deadline. */
export function watchDeadlines({ catalogue, latest, put, onResult, clock }: DeadlinesOptions): Deadlines {
  // Deadlines are in steady time: the wall clock at the start plus monotonic time. A jump of the wall clock neither misses pings nor
  // repeats misses.
  const origin = clock.now() - clock.monotonic()
  const steadyNow = () => Math.floor(origin + clock.monotonic())
  const jumpedMs = () => {
    const difference = Math.round(clock.now() - origin - clock.monotonic())
    return Math.abs(difference) < minJumpMs ? 0 : difference
  }
  let watches = new Map<string, Watch>()
  let cancelTimer = () => {}
  let closed = false

  function reload(fromStart = false): void {
    const checks = catalogue.allChecks().filter(({ activated, checkType }) => activated && checkType.pingSettings)
    watches = new Map(checks.map((check) => [checkKey(refOf(check)), watchOf(check, fromStart)]))
  }

  function watchOf(check: Check, fromStart: boolean): Watch {
    const previous = watches.get(checkKey(refOf(check)))
    const schedule = check.checkType.pingSettings?.(check.settings) ?? { periodMs: check.everyMs, graceMs: 0 }
    if (previous && isDeepStrictEqual(rhythmIn(previous.schedule), rhythmIn(schedule))) return previous
    const ref = refOf(check)
    return { ref, schedule, since: previous?.since ?? steadyNow(), fromStart: previous?.fromStart ?? fromStart, pending: null }
  }

  async function checkDeadlines(): Promise<void> {
    const watched = [...watches.values()]
    const newest = await newestResults(watched)
    const overdue = closed ? [] : watched.filter((watch, i) => isOverdue(watch, newest[i] ?? null))
    if (overdue.length > 0) await storeMissed(overdue)
    if (!closed) cancelTimer = clock.after(everyMs, checkDeadlines)
  }

  /** While the store is unavailable, deadlines wait for the next poll. */
  async function newestResults(of: readonly Watch[], fresh = false): Promise<readonly (LatestResult | null)[]> {
    const refs = of.map(({ ref }) => ref)
    const answers = await latest(refs, { fresh }).catch(() => [])
    return answers.map(({ byLocation }) => newestOf(byLocation))
  }

  function isOverdue(watch: Watch, newest: LatestResult | null): boolean {
    if (newest === null) return false
    if (watch.pending?.after !== newest.id) {
      watch.pending = nextDeadline(watch, newest)
      onResult(watch.ref, newest)
    }
    return !watch.pending.handled && steadyNow() >= watch.pending.deadline + settleMs
  }

  /** Reads the newest results again, since another process may just have stored a ping or a miss. */
  async function storeMissed(overdue: readonly Watch[]): Promise<void> {
    const newest = await newestResults(overdue, true)
    for (const [i, { ref, pending }] of overdue.entries()) {
      if (closed || !pending || newest[i]?.id !== pending.after) continue
      pending.handled = true
      const deadline = pending.deadline + jumpedMs()
      put({ check: ref, result: missedAt(ref, deadline), arrivedAt: deadline })
    }
  }

  function nextDeadline(watch: Watch, newest: LatestResult): Pending {
    const { schedule, since, pending } = watch
    const ofThePast = isOfThePast(newest, schedule)
    // Imported history does not cancel a deadline that a ping has set.
    if (ofThePast && pending && !pending.isOfThePast && !pending.handled) return { ...pending, after: newest.id }
    const steady = (at: number) => Math.min(at - jumpedMs(), steadyNow())
    const last = ofThePast
      ? expectedFrom(Math.max(steady(newest.arrivedAt ?? newest.startedAt), onStartGrid(since)))
      : lastPing(watch, { ...newest, startedAt: steady(newest.startedAt) })
    const deadline = deadlineAfter(last, schedule, since) ?? Number.POSITIVE_INFINITY
    return { after: newest.id, isOfThePast: ofThePast, deadline, handled: false }
  }

  reload(true)
  void checkDeadlines()
  return {
    reload: () => reload(),
    close() {
      closed = true
      cancelTimer()
    },
  }
}

const rhythmIn = ({ periodMs, graceMs, cron }: PingSchedule) => ({ periodMs, graceMs, cron })

/** No ping was expected before a check was activated, so its first period begins at that time. */
function lastPing({ fromStart, since }: Watch, newest: Result): PingResult {
  return fromStart || newest.startedAt >= since ? newest : expectedFrom(onStartGrid(since))
}

/** Stands in for a ping at that time. */
function expectedFrom(startedAt: number): PingResult {
  return { startedAt, hasFailures: false, hasErrors: false }
}

function onStartGrid(since: number): number {
  return Math.ceil(since / startGridMs) * startGridMs
}

function missedAt(ref: CheckRef, deadline: number): Result {
  const outcome = pingOutcome('missed', deadline)
  return { id: derivedId(ref, outcome.runLocation, deadline), ...outcome }
}
