import { nextDue } from '../../calendar/cron.ts'
import { minuteMs } from '../../time.ts'
import type { CheckType, PingSettings } from '../define.ts'

export type PingSchedule = Pick<PingSettings, 'periodMs' | 'graceMs' | 'cron'>

/** The part of a stored result that decides about the next ping. */
export type PingResult = {
  readonly startedAt: number
  readonly hasFailures: boolean
  readonly hasErrors: boolean
  /** When it was stored, where that was later. */
  readonly arrivedAt?: number
}

type PingState = 'EARLY' | 'RECEIVED' | 'GRACE' | 'LATE' | 'FAILING'

export const pingLocation = 'ping'

type HasLocations = { readonly checkType: Pick<CheckType, 'pingSettings'>; readonly locations: readonly string[] }

export function runLocationsOf({ checkType, locations }: HasLocations): readonly string[] {
  return checkType.pingSettings ? [pingLocation] : locations
}

/** Whether the deadline after a result had passed when it arrived: nothing is expected after it. */
export function isOfThePast(result: PingResult, schedule: PingSchedule): boolean {
  return result.arrivedAt !== undefined && result.arrivedAt > firstDeadline(result, schedule)
}

/** The state of a ping that arrives now, relative to the previous one. */
export function classify(previous: PingResult | null, now: number, schedule: PingSchedule): Exclude<PingState, 'FAILING'> {
  if (previous === null) return 'RECEIVED'
  if (isMissed(previous)) return 'LATE'
  const expected = expectedAfter(previous, schedule)
  if (now > expected + schedule.graceMs) return 'LATE'
  // A job of a schedule pings when it ends, which is after it is due.
  if (now > expected) return schedule.cron ? 'RECEIVED' : 'GRACE'
  return now < expected - earlyMarginMs(schedule) ? 'EARLY' : 'RECEIVED'
}

/**
 * When the next ping is missed; null before the first one. A check that has already missed a ping misses the next one period
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

/** A ping that comes just before it is due, by a clock that is fast, is that one and not the one before. */
function expectedAfter({ startedAt }: PingResult, { periodMs, cron }: PingSchedule): number {
  return cron ? nextDue(cron, startedAt + Math.min(minuteMs, periodMs / 10)) : startedAt + periodMs
}

function isMissed(result: PingResult): boolean {
  return result.hasFailures && result.hasErrors
}

function earlyMarginMs({ periodMs, graceMs }: PingSchedule): number {
  return Math.min(Math.max(graceMs, periodMs / 10), periodMs / 2)
}
