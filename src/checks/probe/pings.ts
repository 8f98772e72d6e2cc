import { nextDue } from '../../calendar/cron.ts'
import { minuteMs } from '../../time.ts'
import type { CheckType, PingSettings } from '../define.ts'

export type PingSchedule = Pick<PingSettings, 'periodMs' | 'graceMs' | 'cron'>

/** The fields of a stored result that determine the next deadline. */
export type PingResult = {
  readonly startedAt: number
  readonly hasFailures: boolean
  readonly hasErrors: boolean
  /** When it was stored, if that was later than `startedAt`. */
  readonly arrivedAt?: number
}

type PingState = 'EARLY' | 'RECEIVED' | 'GRACE' | 'LATE' | 'FAILING'

export const pingLocation = 'ping'

type HasLocations = { readonly checkType: Pick<CheckType, 'pingSettings'>; readonly locations: readonly string[] }

export function runLocationsOf({ checkType, locations }: HasLocations): readonly string[] {
  return checkType.pingSettings ? [pingLocation] : locations
}

/** Whether a result, such as imported history, arrived after its next deadline had passed. No deadline is derived from its start time. */
export function isOfThePast(result: PingResult, schedule: PingSchedule): boolean {
  return result.arrivedAt !== undefined && result.arrivedAt > firstDeadline(result, schedule)
}

/** The state of a ping that arrives now, relative to the previous one. */
export function classify(previous: PingResult | null, now: number, schedule: PingSchedule): Exclude<PingState, 'FAILING'> {
  if (previous === null) return 'RECEIVED'
  if (isMissed(previous)) return 'LATE'
  const expected = expectedAfter(previous, schedule)
  if (now > expected + schedule.graceMs) return 'LATE'
  // A scheduled job pings when it ends, so after its due time.
  if (now > expected) return schedule.cron ? 'RECEIVED' : 'GRACE'
  return now < expected - earlyMarginMs(schedule) ? 'EARLY' : 'RECEIVED'
}

/**
 * When the next ping counts as missed; null before the first ping. A check that has already missed a ping misses the next one a period
 * later, but only if this process watched for that whole period: `since` is when watching began.
 */
export function deadlineAfter(previous: PingResult | null, schedule: PingSchedule, since: number): number | null {
  if (previous === null) return null
  if (!isMissed(previous)) return firstDeadline(previous, schedule)
  if (schedule.cron) return nextDue(schedule.cron, Math.max(since, previous.startedAt - schedule.graceMs)) + schedule.graceMs
  const unwatchedMs = Math.max(0, since - previous.startedAt)
  return previous.startedAt + (1 + Math.ceil(unwatchedMs / schedule.periodMs)) * schedule.periodMs
}

/** The result, without its id, of a received ping, a reported failure or a missed ping. */
export function pingOutcome(kind: Exclude<PingState, 'FAILING'> | 'reported' | 'missed', startedAt: number) {
  const hasFailures = kind === 'reported' || kind === 'missed'
  return {
    startedAt,
    runLocation: pingLocation,
    hasFailures,
    hasErrors: kind === 'missed',
    isDegraded: false,
    overMaxResponseTime: false,
    attempts: 1,
    state: (hasFailures ? 'FAILING' : kind) as PingState,
    error: kind === 'reported' ? 'the job reported a failure' : kind === 'missed' ? 'no ping by the deadline' : null,
    values: {},
    pages: [],
  }
}

function firstDeadline(previous: PingResult, schedule: PingSchedule): number {
  if (!isMissed(previous)) return expectedAfter(previous, schedule) + schedule.graceMs
  if (schedule.cron) return nextDue(schedule.cron, previous.startedAt - schedule.graceMs) + schedule.graceMs
  return previous.startedAt + schedule.periodMs
}

/** A ping shortly before a due time counts for that due time, since the clock of the job may be fast. */
function expectedAfter({ startedAt }: PingResult, { periodMs, cron }: PingSchedule): number {
  return cron ? nextDue(cron, startedAt + Math.min(minuteMs, periodMs / 10)) : startedAt + periodMs
}

function isMissed(result: PingResult): boolean {
  return result.hasFailures && result.hasErrors
}

function earlyMarginMs({ periodMs, graceMs }: PingSchedule): number {
  return Math.min(Math.max(graceMs, periodMs / 10), periodMs / 2)
}
