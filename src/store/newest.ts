/** A clock that is right is ahead of ours by no more. */
export const maxAheadMs = 600_000

/** Whether a wrong clock has stamped a result, at least as far as ours knows: it is the newest only where there is no other. */
export const isAhead = (startedAt: number, now: number) => startedAt > now + maxAheadMs
