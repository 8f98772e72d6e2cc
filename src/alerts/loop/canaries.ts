import { setTimeout as sleep } from 'node:timers/promises'
import type { Canary } from '../../catalogue/policies/policies.ts'
import { createOnDemand } from '../../concurrency/on-demand.ts'
import { createSemaphore, type Semaphore } from '../../concurrency/semaphore.ts'
import { type LocationRef, locationKey } from '../../ids/location-key.ts'
import type { ReachReport } from './reachability.ts'

const everyMs = 15_000
/** Pause between urgent probes of a location. Results and reports of other processes arrive within this time. */
const probeAgainMs = 3000
/** Each opens up to ten connections. */
const probesAtOnce = 10

type AccountCanary = { readonly account: string; readonly canary: Canary }

type CanaryOptions = {
  /** Named in reports; unique among processes that share a database. */
  readonly by: string
  /** The canaries of locations whose checks this process runs, by account. */
  readonly own: () => readonly AccountCanary[]
  /** Whether any of these targets can be reached; null if unknown. */
  readonly reach: (targets: readonly string[], signal: AbortSignal) => Promise<boolean | null>
  readonly ofAgents: (place?: LocationRef) => readonly ReachReport[]
  readonly report: (reports: readonly ReachReport[]) => Promise<void>
  readonly onFailure: (error: unknown) => void
  readonly againMs?: number
}

/** Probes canaries, and reports the findings of this process and its agents. */
export function watchCanaries({ by, own, reach, ofAgents, report, onFailure, againMs = probeAgainMs }: CanaryOptions) {
  const closing = new AbortController()
  const { signal } = closing
  const regular = createSemaphore(probesAtOnce)
  /** Separate, so that a location where a check has just failed does not wait for the regular probes. */
  const urgent = createSemaphore(probesAtOnce)
  const onDemand = new Map<string, () => void>()
  const pause = () => sleep(againMs, undefined, { signal, ref: false }).catch(() => {})
  let looking: Promise<void> | null = null
  let isRelaying = false
  let news: readonly LocationRef[] = []

  async function probe({ account, canary: { location, targets } }: AccountCanary, slots: Semaphore): Promise<readonly Probed[]> {
    // One signal per probe, since Node takes many listeners on one for a leak.
    const release = await slots.acquire(AbortSignal.any([signal]))
    if (!release) return []
    const begunAt = performance.now()
    const isReached = await reach(targets, signal).finally(release)
    return isReached === null ? [] : [{ account, location, by, isReached, begunAt }]
  }

  async function record(found: readonly Probed[], others: readonly ReachReport[]): Promise<void> {
    const reports = [...found.map(({ begunAt, ...rest }) => ({ ...rest, agoMs: performance.now() - begunAt })), ...others]
    if (reports.length > 0 && !signal.aborted) await report(reports)
  }

  async function look(): Promise<void> {
    const found = await Promise.all(own().map((each) => probe(each, regular)))
    await record(found.flat(), ofAgents())
  }

  async function probeNow(place: LocationRef): Promise<void> {
    const canary = own().find((each) => each.account === place.account && each.canary.location === place.location)
    if (canary) await record(await probe(canary, urgent), []).catch(onFailure)
  }

  async function relay(): Promise<void> {
    isRelaying = true
    while (news.length > 0) {
      const reports = news.flatMap((place) => ofAgents(place))
      news = []
      await record([], reports).catch(onFailure)
    }
    isRelaying = false
  }

  const tick = () => {
    looking ??= look()
      .catch(onFailure)
      .finally(() => {
        looking = null
      })
  }
  const timer = setInterval(tick, everyMs).unref()
  tick()

  return {
    /** Probes the canaries of a location now, since a check has begun to fail there. Does nothing if this process does not probe them. */
    hurry(place: LocationRef): void {
      const key = locationKey(place)
      const ask = onDemand.get(key) ?? createOnDemand({ act: () => probeNow(place), pause, signal })
      onDemand.set(key, ask)
      ask()
    },
    /** Relays the report of an agent that has just probed its canaries. */
    hearAgent(place: LocationRef): void {
      if (!news.some((each) => locationKey(each) === locationKey(place))) news = [...news, place]
      if (!isRelaying) void relay()
    },
    async close() {
      clearInterval(timer)
      closing.abort()
      await looking
    },
  }
}
type Probed = Omit<ReachReport, 'agoMs'> & { /** Monotonic. */ readonly begunAt: number }
