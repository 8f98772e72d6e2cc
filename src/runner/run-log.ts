import type { Check } from '../catalogue/catalogue.ts'
import { limitAdvice } from '../files/open-files.ts'
import type { CheckRef, FiledResult, NewResult } from '../store/store.ts'
import type { RunClock } from './clock.ts'
import type { RunnerLog } from './log.ts'

/** Logs each result at level debug, and when a check begins to fail or recovers at a location. */
export function createOutcomeLog(log: RunnerLog, nameOf: (check: CheckRef) => string | undefined) {
  const failing = new Set<string>()
  return (check: CheckRef, { id, runLocation, hasFailures, isDegraded, attempts, error, values }: NewResult): void => {
    const key = [check.account, check.checkId, runLocation].join('\n')
    const where = { ...check, name: nameOf(check), location: runLocation }
    const outcome = hasFailures ? 'failing' : isDegraded ? 'degraded' : 'passing'
    log.debug({ ...where, resultId: id, outcome, attempts, error, values }, 'A result was recorded.')
    if (hasFailures && !failing.has(key)) log.warn({ ...where, error }, 'A check is failing.')
    if (!hasFailures && failing.has(key)) log.info(where, 'A check has recovered.')
    if (hasFailures) failing.add(key)
    else failing.delete(key)
  }
}

/** Logs that results of a check at a location are rejected: once, until one is accepted again. */
export function createRejectionLog(log: RunnerLog, nameOf: (check: CheckRef) => string | undefined) {
  const rejected = new Set<string>()
  return ({ check, result: { runLocation } }: FiledResult, rejection: string | null): void => {
    const where = { ...check, name: nameOf(check), location: runLocation }
    const key = [check.account, check.checkId, runLocation].join('\n')
    if (rejection === null) {
      rejected.delete(key)
      return
    }
    if (!rejected.has(key)) log.warn({ ...where, reason: rejection }, 'A result was not stored.')
    rejected.add(key)
  }
}

const notMadeLogMs = 60_000

/** Logs runs that this machine had no resources for, at most once a minute, with advice about the limit. */
export function createNotMadeLog(log: RunnerLog, clock: RunClock) {
  let loggedAt = Number.NEGATIVE_INFINITY
  let runs = 0
  return ({ account, id: checkId, name }: Pick<Check, 'account' | 'id' | 'name'>, reason: string): void => {
    runs += 1
    if (clock.monotonic() - loggedAt < notMadeLogMs) return
    loggedAt = clock.monotonic()
    log.error({ account, checkId, name, reason, runs }, `Could not start runs; they have no results. ${limitAdvice(reason)}`.trimEnd())
    runs = 0
  }
}

/** How long missed slots are collected before they are logged: when a process resumes, all checks have missed slots at once. */
const collectMs = 1000

/** Logs slots that passed while the process did not run, with one line per pause. */
export function createMissedSlotLog(log: RunnerLog, clock: RunClock) {
  let slots = 0
  let checks = 0
  let cancelTimer = () => {}

  function flush(): void {
    log.warn({ slots, checks }, 'Runs were missed: the process was stopped, or the machine was suspended or overloaded.')
    slots = 0
    checks = 0
  }

  return {
    missed(count: number): void {
      if (checks === 0) cancelTimer = clock.after(collectMs, flush)
      slots += count
      checks += 1
    },
    close(): void {
      cancelTimer()
      if (checks > 0) flush()
    },
  }
}

/** Returns a function that logs each of these locations that no check has, once. */
export function watchLocations(log: RunnerLog, locations: readonly string[]): (checks: readonly Pick<Check, 'locations'>[]) => void {
  const logged = new Set<string>()
  return (checks) => {
    const known = new Set(checks.flatMap((check) => check.locations))
    for (const location of locations.filter((name) => !known.has(name) && !logged.has(name))) {
      logged.add(location)
      log.warn({ location, known: [...known] }, 'TIDEMARK_LOCATIONS has a location without checks.')
    }
  }
}

const minJumpMs = 1000

/** Returns a function that logs a jump of the wall clock since it was last called. */
export function watchWallClock(log: RunnerLog, clock: RunClock): () => void {
  const offset = () => clock.now() - clock.monotonic()
  let known = offset()
  return () => {
    const jumpMs = Math.round(offset() - known)
    if (Math.abs(jumpMs) < minJumpMs) return
    known += jumpMs
    log.warn({ jumpMs }, 'The system clock jumped: it was set, or the machine was suspended.')
  }
}
