import { backoffMs } from '../../concurrency/backoff.ts'
import { minuteMs } from '../../time.ts'
import { Problem } from './client.ts'
import { type LiveStream, startStream } from './live-stream.ts'
import { liveTiming } from './live-timing.ts'
import { areSameChecks, createNewsReader, mostStreamed, nothingWatched, type States, streamQuery, type Watched } from './news.ts'
import { createStatePoll } from './state-poll.ts'

export type LiveState = {
  /** Undefined until loaded. */
  readonly states: States | undefined
  /** The number of state changes announced by the stream before `states` were loaded: a check may fail and recover between two loads. */
  readonly changes: number
  readonly problem: Problem | undefined
  /** Since when the server has not responded; null while it responds. */
  readonly lostAt: number | null
}

type Options = {
  open(query: string, signal: AbortSignal): Promise<Response>
  loadStates(signal: AbortSignal): Promise<States>
  onChange(state: LiveState): void
  /** Figures may have changed. `all` if it is unknown what has changed. */
  refresh(what: 'figures' | 'all'): void
  /** The key has lost its read permission. */
  onRefused(problem: Problem): void
}

export type Live = {
  watch(watched: Watched): void
  /** Reports that a request of a view was answered. */
  heard(): void
  /** Reports that a request of a view was not answered. */
  suspect(): void
  reload(): void
  stop(): void
}

const { lookMs, silentMs, openMs, sleptMs, pollMs, blindPollMs, newsMs, quietMs, maxBackoffMs, reopenMs } = liveTiming

/**
 * Follows the whole account: streams results while the page is visible, and polls the states once a minute in any case. A hidden page has
 * no stream, because browsers limit the connections to a server and all tabs share them.
 */
export function startLive({ open, loadStates, onChange, refresh, onRefused }: Options): Live {
  const readNews = createNewsReader()
  let state: LiveState = { states: undefined, changes: 0, problem: undefined, lostAt: null }
  let watched = nothingWatched
  let stream: LiveStream | null = null
  let isHidden = document.visibilityState !== 'visible'
  let hasNews = false
  let isStale = false
  let changes = 0
  let attempts = 0
  let connectAt = 0
  let [receivedAt, refreshedAt, lookedAt] = [Date.now(), Date.now(), Date.now()]

  const change = (next: Partial<LiveState>) => {
    state = { ...state, ...next }
    onChange(state)
  }
  const refreshNow = (what: 'figures' | 'all') => {
    hasNews = false
    refreshedAt = Date.now()
    refresh(what)
  }
  const heard = () => {
    receivedAt = Date.now()
    attempts = 0
    if (state.lostAt === null) return
    change({ lostAt: null })
    isStale = true
    refreshNow('all')
  }
  const lose = () => {
    connectAt = Date.now() + backoffMs(++attempts, { maxMs: maxBackoffMs })
    if (state.lostAt === null) change({ lostAt: receivedAt })
  }
  /** The problem in the server's response; null if the server did not respond. */
  const answered = (fault: unknown): Problem | null => {
    if (!(fault instanceof Problem) || fault.isOffline) return null
    heard()
    if (fault.isRefusal) onRefused(fault)
    return fault
  }

  const query = () => streamQuery(watched, state.states?.size ?? 0)
  const connect = () => {
    const own = startStream({
      query: query(),
      open,
      onOpen: heard,
      onEvent(event) {
        const { isNews, isChange } = readNews(event, watched, state.states)
        hasNews ||= isNews
        isStale ||= isChange
        if (isChange) changes++
      },
      onEnd(fault) {
        stream = null
        if (own.isOpen()) {
          receivedAt = Date.now()
          connectAt = own.startedAt + reopenMs
        } else if (answered(fault) === null) lose()
        else connectAt = Date.now() + minuteMs
        look()
      },
    })
    stream = own
  }
  const disconnect = () => {
    stream?.close()
    stream = null
  }
  /** Closes a stream that is silent, or that takes too long to open. */
  const cutDeadStream = (now: number) => {
    if (stream === null) return
    const silence = now - stream.receivedAt()
    if (!stream.isOpen() && silence > openMs) lose()
    else if (silence <= silentMs) return
    else connectAt = now
    receivedAt = Math.max(receivedAt, stream.receivedAt())
    disconnect()
  }

  const showStates = (states: States) => {
    heard()
    const before = state.states
    change({ states, changes, problem: undefined })
    if (before !== undefined && !areSameChecks(before, states)) refreshNow('all')
  }
  const showFault = (fault: unknown) => {
    const problem = answered(fault)
    if (problem !== null) return change({ problem })
    if (!stream?.isOpen()) return lose()
    disconnect()
    connectAt = 0
  }
  const polling = createStatePoll({
    load: loadStates,
    onStates(states) {
      showStates(states)
      look()
    },
    onFault(fault) {
      showFault(fault)
      look()
    },
  })
  const poll = () => {
    isStale = false
    polling.start()
  }

  const wake = () => {
    polling.stop()
    polling.expire()
    refreshedAt = Number.NEGATIVE_INFINITY
    connectAt = 0
    disconnect()
  }
  const look = () => {
    const now = Date.now()
    if (now - lookedAt > sleptMs || now < lookedAt) wake()
    lookedAt = now
    if (polling.dropLate(now)) lose()
    if (!isHidden) return follow(now)
    if (now - polling.startedAt() >= minuteMs) poll()
  }
  const follow = (now: number) => {
    cutDeadStream(now)
    if (stream !== null && stream.query !== query()) disconnect()
    const isBegun = state.states !== undefined || state.problem !== undefined || state.lostAt !== null
    if (stream === null && isBegun && now >= connectAt) connect()
    if (state.lostAt !== null) return
    const isStreaming = stream?.isOpen() === true
    const followsAll = isStreaming && (state.states?.size ?? 0) <= mostStreamed
    if (!polling.isRunning() && now - polling.startedAt() >= (isStale ? newsMs.states : followsAll ? pollMs : blindPollMs)) poll()
    const isOne = watched.checks !== 'all' && watched.checks.size <= 1
    if (hasNews && now - refreshedAt >= (isOne ? newsMs.one : newsMs.many)) refreshNow('figures')
    else if (now - refreshedAt >= (isStreaming ? quietMs : minuteMs)) refreshNow('all')
  }
  const reload = () => {
    lookedAt = Date.now()
    connectAt = 0
    poll()
    refreshNow('all')
    look()
  }
  const showOrHide = () => {
    if (isHidden === (document.visibilityState !== 'visible')) return
    isHidden = !isHidden
    if (isHidden) disconnect()
    else reload()
  }
  const tryAgain = () => {
    connectAt = 0
    look()
  }
  poll()
  const timer = setInterval(look, lookMs)
  document.addEventListener('visibilitychange', showOrHide)
  addEventListener('online', tryAgain)
  return {
    watch(next) {
      watched = next
      look()
    },
    heard,
    suspect() {
      if (state.lostAt === null && !polling.isRunning()) poll()
    },
    reload,
    stop() {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', showOrHide)
      removeEventListener('online', tryAgain)
      polling.stop()
      disconnect()
    },
  }
}
