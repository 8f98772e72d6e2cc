import type { Pinged } from '../define.ts'

export type Rhythm = Pick<Pinged, 'periodMs' | 'graceMs'>

/** What must be known of the newest result of a check that waits for pings. A stored result is one. */
export type Beat = { readonly startedAt: number; readonly hasFailures: boolean; readonly hasErrors: boolean }

type PingState = 'EARLY' | 'RECEIVED' | 'GRACE' | 'LATE' | 'FAILING'

/** The location of results that have none: pings come from anywhere. */
export const pingLocation = 'ping'

/** How a ping that arrives now stands to the one before it. */
export function classify(previous: Beat | null, now: number, rhythm: Rhythm): Exclude<PingState, 'FAILING'> {
  if (previous === null) return 'RECEIVED'
  if (isMissed(previous)) return 'LATE'
  const expected = previous.startedAt + rhythm.periodMs
  if (now > expected + rhythm.graceMs) return 'LATE'
  if (now > expected) return 'GRACE'
  return now < expected - earlyMarginMs(rhythm) ? 'EARLY' : 'RECEIVED'
}

/**
 * When the next ping is missed; null before the first one. A check that has already missed a ping misses the next one period
 * later, but only if somebody listened for that whole period: `since` is when listening began.
 */
export function deadlineAfter(previous: Beat | null, rhythm: Rhythm, since: number): number | null {
  if (previous === null) return null
  if (!isMissed(previous)) return previous.startedAt + rhythm.periodMs + rhythm.graceMs
  const unheardMs = Math.max(0, since - previous.startedAt)
  return previous.startedAt + (1 + Math.ceil(unheardMs / rhythm.periodMs)) * rhythm.periodMs
}

/** A result, but for its id, for a ping that came, for a failure that was reported, or for a ping that did not come. */
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

function isMissed(beat: Beat): boolean {
  return beat.hasFailures && beat.hasErrors
}

function earlyMarginMs({ periodMs, graceMs }: Rhythm): number {
  return Math.min(Math.max(graceMs, periodMs / 10), periodMs / 2)
}
