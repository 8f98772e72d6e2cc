import { minuteMs } from '../../time.ts'

type Options<T> = {
  /** Calls `onAnswer` after each of its requests, if it has several. */
  load(signal: AbortSignal, onAnswer: () => void): Promise<T>
  onData(data: T): void
  onFault(fault: unknown): void
}

type RepeatedLoad = {
  /** Loads again: after the pending request, since answers slower than the refreshes would never arrive otherwise. */
  refresh(): void
  stop(): void
}

/** A load without an answer for this long is taken for lost: a refresh replaces it. */
const patienceMs = minuteMs

/** Loads at once, and again on demand, one request at a time. */
export function startLoading<T>({ load, onData, onFault }: Options<T>): RepeatedLoad {
  let pending: { readonly abort: AbortController; answeredAt: number } | null = null
  let isStale = false
  const stop = () => {
    pending?.abort.abort()
    pending = null
  }
  const begin = () => {
    stop()
    const own = { abort: new AbortController(), answeredAt: Date.now() }
    pending = own
    isStale = false
    const settle = (then: () => void) => {
      if (pending !== own) return
      pending = null
      then()
      if (isStale) begin()
    }
    const onAnswer = () => {
      own.answeredAt = Date.now()
    }
    load(own.abort.signal, onAnswer).then(
      (data) => settle(() => onData(data)),
      (fault: unknown) => settle(() => onFault(fault)),
    )
  }
  begin()
  return {
    refresh() {
      if (pending !== null && Math.abs(Date.now() - pending.answeredAt) < patienceMs) isStale = true
      else begin()
    },
    stop() {
      isStale = false
      stop()
    },
  }
}
