import { type Announce, createListeners } from '../../listeners.ts'
import { idOf } from '../../query/stored-result.ts'
import type { CheckRef, FiledResult, NewResult } from '../../store.ts'
import { type Arrival, arrivalAt } from '../write/arrival.ts'
import type { Commit, CommittedResult, createCommits } from './commits.ts'

type AnnouncementsOptions = {
  readonly commits: Pick<ReturnType<typeof createCommits>, 'find' | 'results'>
  readonly clock: () => number
  readonly pollMs?: number
}

/** Commits are looked for again so long after they were stored: clocks may differ and replicas lag behind by that much. */
export const overlapMs = 30_000
/** After a failure. */
const retryMs = 5000

/** An account that someone listens to. */
type Followed = {
  readonly since: Arrival
  /** Commits that were there when it was looked at for the first time; null until then. */
  earlier: ReadonlySet<string> | null
  /** Its commits up to this instant were looked for. */
  polledAt: number
  /** The results that were announced of each commit that is still looked at. */
  announced: ReadonlyMap<string, ReadonlySet<string>>
}

/** Announces the results that this process stores at once, and those of other processes soon after, each of them once. */
export function createAnnouncements({ commits, clock, pollMs = 1000 }: AnnouncementsOptions) {
  const listeners = createListeners()
  const followed = new Map<string, Followed>()
  const recent = createRecent()
  let timer: NodeJS.Timeout | undefined
  let isPolling = false
  const closing = new AbortController()

  const schedule = (delayMs = pollMs) => {
    if (!closing.signal.aborted && !isPolling && followed.size > 0) timer ??= setTimeout(() => void pollAndSchedule(), delayMs).unref()
  }
  async function pollAndSchedule(): Promise<void> {
    timer = undefined
    isPolling = true
    const hasFailed = await poll().then(
      () => false,
      () => true, // It is in the log.
    )
    isPolling = false
    schedule(hasFailed ? retryMs : pollMs)
  }
  const stop = () => {
    clearTimeout(timer)
    timer = undefined
  }

  async function poll(): Promise<void> {
    const now = clock()
    const accounts = new Map(followed)
    const from = Math.min(...Array.from(accounts.values(), ({ polledAt }) => polledAt)) - overlapMs
    const { signal } = closing
    const found = await commits.find({ accounts: [...accounts.keys()], from, startedBefore: Number.MAX_SAFE_INTEGER }, signal)
    const pending = found.filter((commit) => isPending(commit, accounts))
    const results = await commits.results(pending, signal)
    signal.throwIfAborted()
    const isFollowed = ({ check: { account } }: Commit) => followed.get(account) === accounts.get(account)
    const news = results.filter(({ commit, result }) => isFollowed(commit) && isNew(commit, result, accounts))
    for (const { commit, result } of news) recent.addResult(commit.check, result, now)
    for (const [account, state] of accounts) note(account, state, { found, news, now })
    recent.forgetBefore(from)
    listeners.announce(news.map(({ commit, result }) => ({ check: commit.check, result })))
  }

  const announcedOf = ({ check, key }: Commit, accounts: ReadonlyMap<string, Followed>) => accounts.get(check.account)?.announced.get(key)

  const isPending = (commit: Commit, accounts: ReadonlyMap<string, Followed>): boolean => {
    const { earlier = null, since = 0n } = accounts.get(commit.check.account) ?? {}
    if (recent.hasCommit(commit.arrival) || (announcedOf(commit, accounts)?.size ?? 0) >= commit.results) return false
    return earlier === null ? commit.arrival >= since : !earlier.has(commit.key)
  }
  const isNew = (commit: Commit, result: NewResult, accounts: ReadonlyMap<string, Followed>) =>
    !announcedOf(commit, accounts)?.has(identityOf(commit.check, result)) && !recent.hasResult(commit.check, result)

  type Polled = { readonly found: readonly Commit[]; readonly news: readonly CommittedResult[]; readonly now: number }

  /** Commits that are not found any more are forgotten. */
  function note(account: string, state: Followed, { found, news, now }: Polled): void {
    const kept = found.filter(({ check }) => check.account === account)
    const announced = new Map(kept.map(({ key }) => [key, new Set(state.announced.get(key))]))
    for (const { commit, result } of news) announced.get(commit.key)?.add(identityOf(commit.check, result))
    const earlier = state.earlier ?? new Set(kept.filter(({ arrival }) => arrival < state.since).map(({ key }) => key))
    Object.assign(state, { announced, earlier, polledAt: now })
  }

  return {
    /** Listens to the results of an account; returns what ends it. */
    listen(account: string, announce: Announce): () => void {
      const remove = listeners.add(account, announce)
      const now = clock()
      if (!followed.has(account)) followed.set(account, { since: arrivalAt(now), earlier: null, polledAt: now, announced: new Map() })
      schedule()
      return () => {
        remove()
        if (!listeners.listensTo(account)) followed.delete(account)
        if (followed.size === 0) stop()
      }
    },
    /** This process is about to store results; what it returns must be called if that fails. */
    storing(arrival: Arrival): () => void {
      if (followed.size === 0) recent.forgetBefore(clock() - overlapMs)
      return recent.addCommit(arrival)
    },
    /** This process has stored results. */
    added(results: readonly FiledResult[]): void {
      const news = results.filter(({ check, result }) => followed.has(check.account) && !recent.hasResult(check, result))
      for (const { check, result } of news) recent.addResult(check, result, clock())
      listeners.announce(news)
    },
    close(): void {
      closing.abort()
      stop()
    },
  }
}

/** The commits of this process, and all results that were announced, of the last seconds. */
function createRecent() {
  const arrivals = new Set<Arrival>()
  const results = new Map<string, number>()
  return {
    addCommit(arrival: Arrival) {
      arrivals.add(arrival)
      return () => void arrivals.delete(arrival)
    },
    addResult: (check: CheckRef, result: NewResult, now: number) => void results.set(identityOf(check, result), now),
    hasCommit: (arrival: Arrival) => arrivals.has(arrival),
    hasResult: (check: CheckRef, result: NewResult) => results.has(identityOf(check, result)),
    /** Both are in the order of time. */
    forgetBefore(instant: number): void {
      const first = arrivalAt(instant)
      for (const arrival of arrivals) {
        if (arrival >= first) break
        arrivals.delete(arrival)
      }
      for (const [identity, storedAt] of results) {
        if (storedAt >= instant) break
        results.delete(identity)
      }
    },
  }
}

const identityOf = (check: CheckRef, result: NewResult) => JSON.stringify([check.account, check.checkId, idOf(check, result)])
