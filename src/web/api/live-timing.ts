import { minuteMs } from '../../time.ts'

/** Intervals and timeouts for polling, streaming and refreshing. */
export const liveTiming = {
  lookMs: 1000,
  /** The server sends a heartbeat every 15 seconds. A stream without one is cut, even if a proxy keeps it open. */
  silentMs: 32_000,
  /** Timeout for opening a stream. */
  openMs: 10_000,
  /** If a timer is later than this, the device was asleep and open connections are dead. */
  sleptMs: 30_000,
  /** States are loaded at least this often: a check becomes unknown without any result. */
  pollMs: minuteMs,
  /** The poll interval while no stream covers all changes. */
  blindPollMs: 30_000,
  /** Minimum intervals between loads of states and figures after news. Many checks have news all the time. */
  newsMs: { states: 5000, one: 5000, many: 15_000 },
  /** Without news, figures are refreshed this often, because rolling windows move on. */
  quietMs: 5 * minuteMs,
  /** Maximum delay between attempts to reach the server. */
  maxBackoffMs: 15_000,
  /** Delay before reopening a stream that ended immediately. */
  reopenMs: 5000,
} as const
