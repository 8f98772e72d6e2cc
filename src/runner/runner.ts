import { type Catalogue, type Check, isRun, refOf, type ServiceSettings } from '../catalogue/catalogue.ts'
import type { CheckType } from '../checks/define.ts'
import type { Probe } from '../checks/probe/probe.ts'
import type { Env } from '../config.ts'
import { checkKey } from '../ids/check-ref.ts'
import { createRunnerStats, type RunnerStats } from '../stats/server-stats.ts'
import type { CheckRef, FiledResult, Result, Store } from '../store/store.ts'
import { createActiveRuns } from './active-runs.ts'
import type { RunEnvironment } from './attempt.ts'
import type { RunClock } from './clock.ts'
import type { ConcurrencyLimits } from './concurrency.ts'
import { watchDeadlines } from './deadlines.ts'
import type { RunnerLog } from './log.ts'
import { createOutbox } from './outbox.ts'
import type { OutboxFile } from './outbox-file.ts'
import { createMissedSlotLog, createOutcomeLog, createRejectionLog, watchWallClock } from './run-log.ts'
import {
  createClockLead,
  firstSlot,
  isMissed,
  locationsIn,
  nextSlot,
  type Schedule,
  type Slot,
  scheduleOf,
  slotAfter,
  slotAhead,
  slotTime,
} from './schedule.ts'

export type Runner = {
  /** Applies the current catalogue; a check with an unchanged frequency keeps its schedule. */
  reload(): void
  /** Runs in progress may finish within `graceMs`; after that they are aborted and not stored. */
  close(): Promise<void>
}

export type RunnerOptions = {
  readonly catalogue: RunnerCatalogue
  readonly store: Pick<Store, 'append' | 'latest'>
  readonly clock: RunClock
  readonly log: RunnerLog
  readonly probe: Probe
  readonly chromium: string | null
  readonly env: Env
  /** The locations that this process runs; null for all. */
  readonly locations: readonly string[] | null
  /** Defaults to both. */
  readonly tasks?: Tasks
  readonly concurrency?: ConcurrencyLimits
  readonly graceMs?: number
  /** Why a result must not be stored, such as one location too many; by default all are stored. */
  readonly rejectionOf?: (filed: FiledResult) => string | null
  /** The capacity of the outbox, in results. */
  readonly capacity?: number
  /** Keeps results that the outbox cannot store before shutdown. */
  readonly outboxFile?: OutboxFile
  readonly stats?: RunnerStats
  /** Whether a check has no results yet; by default read from the store. */
  readonly isNew?: (check: Check) => boolean
  /** Since when this process runs a check that another process ran before, which may not have run its last slot. */
  readonly takeoverFrom?: (check: Check) => number | null
  /** How runs in progress end when their check leaves the catalogue; by default they are aborted. */
  readonly onRemoved?: 'abort' | 'finish'
  /** Called with the number of results dropped because the store was unavailable for too long. */
  readonly onDropped?: (rows: number) => void
  /** Called with the checks to run, at the start and after each change of the catalogue. */
  readonly onChecks?: (checks: readonly Check[]) => void
}

/** The part of a catalogue that a runner uses. */
export type RunnerCatalogue = Pick<Catalogue, 'allChecks'> & {
  service(): Pick<ServiceSettings, 'addresses' | 'runnerLocations' | 'evidence' | 'limits'>
}

export type Tasks = {
  readonly runs: boolean
  /** Whether a missed ping is stored as a failing result. */
  readonly deadlines: boolean
}

export type EnvironmentOptions = Pick<RunnerOptions, 'catalogue' | 'clock' | 'log' | 'probe'>
/** `failing` are the locations whose last result here is a failure. */
type Job = { check: Check; schedule: Schedule; readonly failing: Set<string>; cancelTimer: () => void }

/** Runs every activated check of the catalogue on its schedule and stores the results, until it is closed. */
export function startRunner(options: RunnerOptions): Runner {
  const { catalogue, store, clock, log } = options
  const {
    tasks = { runs: true, deadlines: true },
    concurrency = { light: 100, slow: 400, heavy: 2 },
    graceMs = 8000,
    capacity = 50_000,
    rejectionOf = () => null,
    stats = createRunnerStats(),
    takeoverFrom = () => null,
    onRemoved = 'abort',
    onDropped = () => {},
    onChecks = () => {},
  } = options
  const append: Store['append'] = (results) => store.append(results)
  const { outboxFile: file } = options
  const outbox = createOutbox({ append, clock, log, capacity, ...(file && { file }), onQueue: stats.outbox.set, onDropped })
  let names: ReadonlyMap<string, string> | null = null
  const nameOf = (check: CheckRef) => {
    names ??= new Map(catalogue.allChecks().map((each) => [checkKey(refOf(each)), each.name]))
    return names.get(checkKey(check))
  }
  const onResult = createOutcomeLog(log, nameOf)
  const missedSlots = createMissedSlotLog(log, clock)
  const checkWallClock = watchWallClock(log, clock)
  const logRejected = createRejectionLog(log, nameOf)
  const put = (filed: FiledResult) => {
    const rejection = rejectionOf(filed)
    logRejected(filed, rejection)
    if (rejection !== null) return
    onResult(filed.check, filed.result)
    outbox.put(filed)
    const job = jobs.get(checkKey(filed.check))
    if (job) observe(job, [filed.result])
  }
  const runs = createActiveRuns({ concurrency, clock, log, put, stats })
  const latest: Store['latest'] = (...question) => store.latest(...question)
  const deadlines = tasks.deadlines ? watchDeadlines({ catalogue, latest, put: outbox.put, onResult, clock }) : null
  // Slots follow the monotonic clock, so that a step of the wall clock neither skips nor repeats runs.
  const origin = clock.now() - clock.monotonic()
  const steadyNow = () => origin + clock.monotonic()
  const leadOf = createClockLead()
  const jobs = new Map<string, Job>()
  const selfTested = new Set<CheckType>()
  let environment: RunEnvironment

  function reload(): void {
    environment = environmentOf(options)
    names = null
    const checks = new Map(
      catalogue
        .allChecks()
        .filter((check) => tasks.runs && isRun(check))
        .map((check) => [checkKey(refOf(check)), check]),
    )
    for (const [key, job] of jobs) if (checks.get(key)?.everyMs !== job.check.everyMs) unschedule(key, job, !checks.has(key))
    const added = [...checks].flatMap(([key, check]) => scheduleCheck(key, check) ?? [])
    if (added.length > 0) void armFirst(added)
    for (const { checkType } of checks.values()) selfTestOnce(checkType)
    onChecks([...checks.values()])
    deadlines?.reload()
  }

  function selfTestOnce(checkType: CheckType): void {
    if (selfTested.has(checkType)) return
    selfTested.add(checkType)
    logMissing(checkType, options)
  }

  function unschedule(key: string, job: Job, gone: boolean): void {
    jobs.delete(key)
    job.cancelTimer()
    if (gone && onRemoved === 'abort') runs.cancel(job.check)
  }

  /** Returns the new job of a check; null if the check already has one. */
  function scheduleCheck(key: string, check: Check): Job | null {
    const existing = jobs.get(key)
    if (existing) {
      existing.check = check
      for (const location of existing.failing) if (!check.locations.includes(location)) existing.failing.delete(location)
      keepPace(existing)
      return null
    }
    const job: Job = { check, schedule: scheduleOf(check), failing: new Set(), cancelTimer: () => {} }
    jobs.set(key, job)
    return job
  }

  /** A check without results runs at once; while the store is unavailable, no check counts as new. */
  async function armFirst(added: readonly Job[]): Promise<void> {
    const answers = options.isNew ? [] : await latest(added.map(({ check }) => refOf(check))).catch(() => [])
    for (const [i, job] of added.entries()) {
      if (jobs.get(checkKey(refOf(job.check))) !== job) continue
      const isNew = options.isNew ? options.isNew(job.check) : answers[i]?.byLocation.length === 0
      observe(job, answers[i]?.byLocation.filter(({ runLocation }) => runsHere(job.check, runLocation)) ?? [])
      arm(job, isNew ? firstSlot(job.schedule, steadyNow()) : nextSlot(job.schedule, steadyNow(), owedFrom(job.check)))
    }
  }

  /** `takeoverFrom` in steady time. */
  function owedFrom(check: Check): number | null {
    const from = takeoverFrom(check)
    return from === null ? null : from - (clock.now() - steadyNow())
  }

  function observe(job: Job, results: readonly Pick<Result, 'runLocation' | 'hasFailures'>[]): void {
    for (const { runLocation, hasFailures } of results)
      if (hasFailures && job.check.locations.includes(runLocation)) job.failing.add(runLocation)
      else job.failing.delete(runLocation)
    keepPace(job)
  }

  /** A check that fails at any location runs at `failingEveryMs`, if that is set. */
  function keepPace(job: Job): void {
    const { failingEveryMs } = job.check
    const everyMs = job.failing.size > 0 && failingEveryMs !== null ? failingEveryMs : job.check.everyMs
    if (everyMs === job.schedule.everyMs) return
    job.schedule = scheduleOf({ ...job.check, everyMs })
    arm(job, slotAfter(job.schedule, steadyNow()))
  }

  function arm(job: Job, slot: Slot): void {
    job.cancelTimer()
    job.cancelTimer = clock.after(slot.at - steadyNow(), () => onSlot(job, slot))
  }

  function onSlot(job: Job, slot: Slot): void {
    const time = steadyNow()
    const next = slotAfter(job.schedule, Math.max(time, slot.at))
    arm(job, next)
    checkWallClock()
    if (isMissed(job.schedule, slot, time)) {
      missedSlots.missed(next.index - slot.index)
      stats.missedLate.add(next.index - slot.index)
      return
    }
    stats.delay.observe(Math.max(0, time - slot.at) / 1000)
    const current = slotAhead(job.schedule, slot, leadOf(time, clock.now()))
    const slotAt = slotTime(job.schedule, current)
    const here = locationsIn(job.check, current).filter((location) => runsHere(job.check, location))
    for (const runLocation of here) runs.start({ check: job.check, runLocation, slotAt }, environment)
  }

  function runsHere({ agentLocations }: Check, location: string): boolean {
    const listed = [options.locations, catalogue.service().runnerLocations].every((list) => list === null || list.includes(location))
    return listed && !agentLocations.includes(location)
  }

  async function close(): Promise<void> {
    for (const job of jobs.values()) job.cancelTimer()
    jobs.clear()
    deadlines?.close()
    missedSlots.close()
    await runs.close(graceMs)
    const timeout = new AbortController()
    const cancelTimer = clock.after(outboxCloseMs, () => timeout.abort())
    await outbox.close(timeout.signal)
    cancelTimer()
  }

  reload()
  return { reload, close }
}

function logMissing({ label, selfTest }: CheckType, { log, chromium, env }: RunnerOptions): void {
  selfTest?.({ chromium, env }).then(
    (missing) => missing !== null && log.warn({ checkType: label }, missing),
    (err) => log.error({ checkType: label, err }, 'The self-test of a check type failed.'),
  )
}

/** How long the outbox may take to drain at shutdown. */
const outboxCloseMs = 4000

/** The dependencies of all runs, with the address rules of the current catalogue. */
export function environmentOf({ catalogue, clock, log, probe }: EnvironmentOptions): RunEnvironment {
  const { addresses, evidence: mode, limits } = catalogue.service()
  return {
    probe,
    addresses,
    clock,
    evidence: { mode, evidenceBytes: limits.evidenceBytes, screenshotBytes: limits.screenshotBytes },
    onBug: ({ account, id, name }, err) =>
      log.error({ account, checkId: id, name, err }, 'A check could not be run: this is a bug in Tidemark.'),
  }
}
