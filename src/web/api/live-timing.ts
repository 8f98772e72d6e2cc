import { minuteMs } from '../../time.ts'

/** When the page looks, asks, loads and gives up. */
export const liveTiming = {
  lookMs: 1000,
  /** A stream without a heartbeat, which comes every 15 seconds, is cut, whatever a proxy between says. */
  silentMs: 32_000,
  /** An answer takes no longer. */
  openMs: 10_000,
  /** A timer that is later than this was asleep, and what was open before is dead. */
  sleptMs: 30_000,
  /** States are loaded this often in any case: a check becomes unknown by getting no result. */
  pollMs: minuteMs,
  /** The same where no stream has all changes. */
  blindPollMs: 30_000,
  /** News load states and figures at most this often. Of many checks there are always news. */
  newsMs: { states: 5000, one: 5000, many: 15_000 },
  /** Without news, rolling windows move on. */
  quietMs: 5 * minuteMs,
  /** At most between attempts to reach the server. */
  maxBackoffMs: 15_000,
  /** A stream that ends at once is not opened again at once. */
  reopenMs: 5000,
} as const
