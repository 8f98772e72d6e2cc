import { grouped } from '../../../collections/lists.ts'
import { type Announce, createListeners } from '../../listeners.ts'
import { resultId } from '../../query/parts/stored-result.ts'
import type { CheckRef, FiledResult, NewResult } from '../../store.ts'
import { type Arrival, arrivalAt, maxSkewMs } from '../write/arrival.ts'
import type { Commit, CommittedResult, createCommits } from './commits.ts'

type AnnouncementsOptions = {
  readonly commits: Pick<ReturnType<typeof createCommits>, 'find' | 'results' | 'spans'>
  readonly clock: () => number
  readonly pollMs?: number
}

/** How long commits are polled again: clocks may differ and replicas may lag by this much. */
export const overlapMs = maxSkewMs
/** Poll delay after a failure. */
const retryMs = 5000
/** Limits per account and poll; beyond them, results are skipped. So a flood from other processes does not block this one. */
export const readLimits = { commits: 20_000, results: 10_000 }

/** An account with listeners. */
type Followed = {
  readonly since: Arrival
  /** Commits from before `since` that the first poll found; null until then. */
  earlier: ReadonlySet<string> | null
  /** Commits up to this instant have been polled. */
  polledAt: number
  /** Announced results of each commit that polls still find. */
  announced: ReadonlyMap<string, Set<string>>
  /** The last poll found more commits than it reads. */
  isOverrun: boolean
}

/** Announces results of this process at once and those of other processes soon after, each result once. */
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
      () => true, // Already logged.
    )
    isPolling = false
    schedule(hasFailed ? retryMs : pollMs)
  }
  const stop = () => {
    clearTimeout(timer)
    timer = undefined
  }

  async function poll(): Promise<void> {
    const { signal } = closing
    const now = clock()
    const from = Math.min(...Array.from(followed.values(), ({ polledAt }) => polledAt)) - overlapMs
    const polled = await find(from)
    const [overrun, calm] = [polled.filter(({ isOverrun }) => isOverrun), polled.filter(({ isOverrun }) => !isOverrun)]
    const pending = calm.flatMap(({ pending }) => pending)
    const results = await commits.results(pending, signal)
    const skipped = await commits.spans({ accounts: overrun.map(({ account }) => account), from }, signal)
    signal.throwIfAborted()
    announce(calm, results, now)
    for (const { account, state, found } of overrun) {
      restart(state, found, now)
      const own = skipped.get(account)
      if (own && followed.get(account) === state) listeners.skip(account, own)
    }
    recent.forgetBefore(from)
  }

  async function find(from: number): Promise<readonly Polled[]> {
    const accounts = new Map(followed)
    const query = { accounts: [...accounts.keys()], from, startedBefore: Number.MAX_SAFE_INTEGER, limit: readLimits.commits + 1 }
    const found = grouped(await commits.find(query, closing.signal), ({ check }) => check.account)
    return Array.from(accounts, ([account, state]) => polledAccount({ account, state, found: found.get(account) ?? [] }))
  }

  function announce(polled: readonly Polled[], results: readonly CommittedResult[], now: number): void {
    const still = polled.filter(({ account, state }) => followed.get(account) === state)
    const states = new Map(still.map(({ account, state }) => [account, state]))
    const news = results.filter(({ commit, result }) => isNew(commit, result, states.get(commit.check.account)))
    for (const { state, found } of still) note(state, found, now)
    for (const { commit, result } of news) {
      recent.addResult(commit.check, result, now)
      states.get(commit.check.account)?.announced.get(commit.key)?.add(identityOf(commit.check, result))
    }
    listeners.announce(news.map(({ commit, result }) => ({ check: commit.check, result })))
  }

  type Found = { readonly account: string; readonly state: Followed; readonly found: readonly Commit[] }
  type Polled = Found & { readonly pending: readonly Commit[]; readonly isOverrun: boolean }

  /** After an overrun it is unknown which commits are new, until all of them are read again. */
  function polledAccount({ account, state, found }: Found): Polled {
    const pending = found.filter((commit) => isPending(commit, state))
    const results = pending.reduce((sum, commit) => sum + commit.results, 0)
    const isOverrun = state.isOverrun || found.length > readLimits.commits || results > readLimits.results
    return { account, state, found, pending, isOverrun }
  }

  const isPending = (commit: Commit, { earlier, since, announced }: Followed): boolean => {
    if (recent.hasCommit(commit.arrival) || (announced.get(commit.key)?.size ?? 0) >= commit.results) return false
    return earlier === null ? commit.arrival >= since : !earlier.has(commit.key)
  }
  const isNew = (commit: Commit, result: NewResult, state: Followed | undefined) =>
    state !== undefined &&
    !state.announced.get(commit.key)?.has(identityOf(commit.check, result)) &&
    !recent.hasResult(commit.check, result)

  /** Forgets commits that are no longer found. */
  function note(state: Followed, found: readonly Commit[], now: number): void {
    const announced = new Map(found.map(({ key }) => [key, state.announced.get(key) ?? new Set<string>()]))
    const earlier = state.earlier ?? new Set(found.filter(({ arrival }) => arrival < state.since).map(({ key }) => key))
    Object.assign(state, { announced, earlier, polledAt: now })
  }

  /** Skips everything that was found. */
  function restart(state: Followed, found: readonly Commit[], now: number): void {
    const earlier = new Set(found.map(({ key }) => key))
    Object.assign(state, { announced: new Map(), earlier, polledAt: now, isOverrun: found.length > readLimits.commits })
  }

  return {
    /** Subscribes to the results of an account; returns an unsubscribe function. */
    listen(account: string, announce: Announce): () => void {
      const remove = listeners.add(account, announce)
      const now = clock()
      if (!followed.has(account))
        followed.set(account, { since: arrivalAt(now), earlier: null, polledAt: now, announced: new Map(), isOverrun: false })
      schedule()
      return () => {
        remove()
        if (!listeners.listensTo(account)) followed.delete(account)
        if (followed.size === 0) stop()
      }
    },
    /** Call before results are stored; call the returned function if that fails. */
    storing(arrival: Arrival): () => void {
      if (followed.size === 0) recent.forgetBefore(clock() - overlapMs)
      return recent.addCommit(arrival)
    },
    /** Call after this process has stored results. */
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

/** The last seconds: commits of this process, and all announced results. */
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
    /** Both collections are in order of time. */
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

const identityOf = (check: CheckRef, result: NewResult) => JSON.stringify([check.account, check.checkId, resultId(check, result)])
