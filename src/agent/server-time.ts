import type { RunClock } from '../runner/clock.ts'

/** One exchange with the server: when it began and ended on the monotonic clock, and its `Date` header. */
export type TimedExchange = { readonly sentAt: number; readonly receivedAt: number; readonly date: string | null }

/** Measures the server's clock against the monotonic one, which never jumps. */
export type ServerTime = {
  observe(exchange: TimedExchange): void
  /** The server's clock minus the wall clock of this machine; null before the first exchange. */
  offsetMs(): number | null
  /** The offset once it is known to within 100 ms, or known to be over 100 ms; null before. */
  settledOffsetMs(): number | null
  /** Whether the offset is known to be over 100 ms: results are then stamped in the server's time. */
  isOff(): boolean
  /** The maximum error of the offset. */
  accuracyMs(): number
  /** How long to wait before the most informative exchange: one that reaches the server when its second changes. */
  nextProbeMs(): number
  /** This machine's clock, or the server's if this one is off. */
  readonly clock: RunClock
}

/** `Date` has second resolution, and a busy server may update it late. */
const resolutionMs = 1000
const slackMs = 20
const maxOffsetMs = 100
/** Quartz clocks drift by less. */
const driftPerMs = 1e-4

/** Bounds of the offset from the monotonic clock to the server's time. */
type Bounds = { readonly low: number; readonly high: number; readonly at: number }

export function createServerTime(system: RunClock): ServerTime {
  let bounds: Bounds | null = null

  function observe({ sentAt, receivedAt, date }: TimedExchange): void {
    const second = Date.parse(date ?? '')
    if (Number.isNaN(second)) return
    const seen = { low: second - receivedAt, high: second + resolutionMs + slackMs - sentAt, at: receivedAt }
    bounds = intersection(drifted(receivedAt), seen) ?? seen
  }

  function drifted(now: number): Bounds | null {
    if (bounds === null) return null
    const driftMs = Math.max(0, now - bounds.at) * driftPerMs
    return { low: bounds.low - driftMs, high: bounds.high + driftMs, at: now }
  }

  const middle = ({ low, high }: Bounds) => (low + high) / 2
  const wallBase = () => system.now() - system.monotonic()

  function isOff(): boolean {
    if (bounds === null) return false
    const base = wallBase()
    return bounds.low - base > maxOffsetMs || bounds.high - base < -maxOffsetMs
  }

  const offsetMs = () => (bounds === null ? null : Math.round(middle(bounds) - wallBase()))
  const accuracyMs = () => (bounds === null ? Number.POSITIVE_INFINITY : (bounds.high - bounds.low) / 2)

  return {
    observe,
    isOff,
    offsetMs,
    settledOffsetMs: () => (isOff() || accuracyMs() <= maxOffsetMs ? offsetMs() : null),
    accuracyMs,
    nextProbeMs() {
      if (bounds === null) return 0
      const serverNow = system.monotonic() + middle(bounds)
      return resolutionMs - (serverNow % resolutionMs)
    },
    clock: {
      ...system,
      now: () => (bounds !== null && isOff() ? Math.round(system.monotonic() + middle(bounds)) : system.now()),
    },
  }
}

function intersection(known: Bounds | null, seen: Bounds): Bounds | null {
  if (known === null) return seen
  const both = { low: Math.max(known.low, seen.low), high: Math.min(known.high, seen.high), at: seen.at }
  return both.low <= both.high ? both : null
}
