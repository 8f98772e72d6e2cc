/** The tolerated clock skew: a correct clock is ahead of ours by at most this. */
export const maxAheadMs = 600_000

/** Whether a wrong clock has stamped a result, as judged by our clock. Such a result is the newest only if there is no other. */
export const isAhead = (startedAt: number, now: number) => startedAt > now + maxAheadMs
