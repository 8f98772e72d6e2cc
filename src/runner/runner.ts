import { type Catalogue, type Check, refOf, uniqueName } from '../catalogue/catalogue.ts'
import type { CheckType } from '../checks/define.ts'
import { addressPolicy } from '../checks/probe/addresses.ts'
import type { Env } from '../config.ts'
import type { Store } from '../store/store.ts'
import type { RunEnvironment } from './attempt.ts'
import type { Clock } from './clock.ts'
import { watchDeadlines } from './deadlines.ts'
import type { Log } from './log.ts'
import { createOutbox } from './outbox.ts'
import { createRuns, type Places } from './runs.ts'
import { firstSlot, isMissed, placesIn, type Rhythm, rhythmOf, type Slot, slotAfter } from './schedule.ts'

export type Runner = {
  /** Takes up what the catalogue says now; checks whose period is the same keep their rhythm. */
  reload(): void
  /** Runs under way may finish within the grace; after it they are cut off and not stored. */
  close(): Promise<void>
}

export type RunnerOptions = {
  readonly catalogue: Pick<Catalogue, 'allChecks' | 'service'>
  readonly store: Pick<Store, 'append' | 'latest'>
  readonly clock: Clock
  readonly log: Log
  readonly configDir: string
  readonly chromium: string | null
  readonly env: Env
  /** The locations that this process stands for; null for every one. */
  readonly locations: readonly string[] | null
  /** What it does; everything unless told otherwise. */
  readonly tasks?: Tasks
  readonly places?: Places
  readonly graceMs?: number
  /** How many results wait in memory while the store is away. */
  readonly capacity?: number
}

export type Tasks = {
  readonly runs: boolean
  /** Whether a ping that does not come in time is filed as a failing result. */
  readonly deadlines: boolean
}

type EnvironmentOptions = Pick<RunnerOptions, 'catalogue' | 'clock' | 'log' | 'configDir' | 'chromium' | 'env'>
type Job = { check: Check; readonly rhythm: Rhythm; cancelTimer: () => void }

/** Runs every activated check of the catalogue in its rhythm, and files what comes of it, until it is closed. */
export function startRunner(options: RunnerOptions): Runner {
  const { catalogue, store, clock, log } = options
  const { tasks = { runs: true, deadlines: true }, places = { light: 100, heavy: 2 }, graceMs = 8000, capacity = 50_000 } = options
  const outbox = createOutbox({ append: (results) => store.append(results), clock, log, capacity })
  const runs = createRuns({ places, clock, log, put: outbox.put })
  const latest: Store['latest'] = (check) => store.latest(check)
  const deadlines = tasks.deadlines ? watchDeadlines({ catalogue, latest, put: outbox.put, clock }) : null
  const origin = clock.now() - clock.monotonic()
  const steadyNow = () => origin + clock.monotonic()
  const jobs = new Map<string, Job>()
  const asked = new Set<CheckType>()
  let environment: RunEnvironment

  function reload(): void {
    environment = environmentOf(options)
    const checks = new Map(
      catalogue
        .allChecks()
        .filter((check) => tasks.runs && isRun(check))
        .map((check) => [uniqueName(check), check]),
    )
    for (const [key, job] of jobs) if (checks.get(key)?.everyMs !== job.rhythm.everyMs) end(key, job, !checks.has(key))
    for (const [key, check] of checks) take(key, check)
    for (const { checkType } of checks.values()) askOnce(checkType)
    deadlines?.reload()
  }

  function askOnce(checkType: CheckType): void {
    if (asked.has(checkType)) return
    asked.add(checkType)
    sayWhatIsMissing(checkType, options)
  }

  function end(key: string, job: Job, gone: boolean): void {
    jobs.delete(key)
    job.cancelTimer()
    if (gone) runs.cancel(job.check)
  }

  function take(key: string, check: Check): void {
    const known = jobs.get(key)
    if (known) {
      known.check = check
      return
    }
    const job: Job = { check, rhythm: rhythmOf(check), cancelTimer: () => {} }
    jobs.set(key, job)
    const isNew = store.latest(refOf(check)) === undefined
    arm(job, isNew ? firstSlot(job.rhythm, steadyNow()) : slotAfter(job.rhythm, steadyNow()))
  }

  function arm(job: Job, slot: Slot): void {
    job.cancelTimer = clock.after(slot.at - steadyNow(), () => onSlot(job, slot))
  }

  function onSlot(job: Job, slot: Slot): void {
    const time = steadyNow()
    arm(job, slotAfter(job.rhythm, Math.max(time, slot.at)))
    if (isMissed(job.rhythm, slot, time)) return
    for (const location of placesIn(job.check, slot)) if (isOurs(location)) runs.begin(job.check, location, environment)
  }

  function isOurs(location: string): boolean {
    return options.locations === null || options.locations.includes(location)
  }

  async function close(): Promise<void> {
    for (const job of jobs.values()) job.cancelTimer()
    jobs.clear()
    deadlines?.close()
    await runs.close(graceMs)
    const patience = new AbortController()
    const cancelTimer = clock.after(lastWordsMs, () => patience.abort())
    await outbox.close(patience.signal)
    cancelTimer()
  }

  reload()
  return { reload, close }
}

function sayWhatIsMissing({ label, selfTest }: CheckType, { log, chromium, env }: RunnerOptions): void {
  selfTest?.({ chromium, env }).then(
    (missing) => missing !== null && log.warn({ checkType: label }, missing),
    (err) => log.error({ checkType: label, err }, 'What such checks need on this machine could not be found out.'),
  )
}

/** How long the last results may take to reach the store. */
const lastWordsMs = 4000

function isRun({ activated, checkType }: Check): boolean {
  return activated && checkType.run !== undefined
}

/** What runs share under the rules that the catalogue has now. */
export function environmentOf({ catalogue, clock, log, configDir, chromium, env }: EnvironmentOptions): RunEnvironment {
  return {
    admit: addressPolicy(catalogue.service().addresses),
    configDir,
    chromium,
    env,
    clock,
    onBug: ({ account, id }, err) => log.error({ account, checkId: id, err }, 'A check could not be run: this is a bug in Tidemark.'),
  }
}
