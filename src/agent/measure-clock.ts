import { pause, type RunClock } from '../runner/clock.ts'
import type { ServerConnection } from './server-connection.ts'
import type { ServerTime } from './server-time.ts'

type Options = {
  readonly connection: Pick<ServerConnection, 'send'>
  readonly serverTime: Pick<ServerTime, 'accuracyMs' | 'nextProbeMs'>
  readonly clock: RunClock
  readonly signal: AbortSignal
}

const goodEnoughMs = 60
const maxProbes = 8
const restMs = 60_000
/** While the server does not answer. */
const retryMs = 5000

/** Keeps the clock offset accurate: every exchange narrows its bounds, and a few well-timed ones settle it. */
export async function measureClock({ connection, serverTime, clock, signal }: Options): Promise<void> {
  while (!signal.aborted) {
    let isReached = true
    for (let probe = 0; probe < maxProbes && isReached && serverTime.accuracyMs() > goodEnoughMs && !signal.aborted; probe++) {
      await pause(clock, serverTime.nextProbeMs(), signal)
      isReached = await connection.send('health/live', { signal, timeoutMs: 5000 }).then(
        () => true,
        () => false,
      )
    }
    await pause(clock, isReached ? restMs : retryMs, signal)
  }
}
