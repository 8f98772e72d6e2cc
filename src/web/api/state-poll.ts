import type { States } from './news.ts'

type Options = {
  load(signal: AbortSignal): Promise<States>
  onStates(states: States): void
  onFault(fault: unknown): void
}

/** Loads the states of the account with one request at a time. */
type StatePoll = {
  isRunning(): boolean
  /** When the last request began. */
  startedAt(): number
  start(): void
  /** Aborts a request that takes too long. Returns whether it did. */
  dropLate(now: number): boolean
  /** Makes the next poll due immediately. */
  expire(): void
  stop(): void
}

const timeoutMs = 30_000

export function createStatePoll({ load, onStates, onFault }: Options): StatePoll {
  let running: AbortController | null = null
  let startedAt = Number.NEGATIVE_INFINITY
  const stop = () => {
    running?.abort()
    running = null
  }
  const start = () => {
    stop()
    const own = new AbortController()
    running = own
    startedAt = Date.now()
    const settle = (then: () => void) => {
      if (running !== own) return
      running = null
      then()
    }
    load(own.signal).then(
      (states) => settle(() => onStates(states)),
      (fault: unknown) => settle(() => onFault(fault)),
    )
  }
  const dropLate = (now: number) => {
    if (running === null || now - startedAt <= timeoutMs) return false
    stop()
    return true
  }
  const expire = () => {
    startedAt = Number.NEGATIVE_INFINITY
  }
  return { isRunning: () => running !== null, startedAt: () => startedAt, start, dropLate, expire, stop }
}
