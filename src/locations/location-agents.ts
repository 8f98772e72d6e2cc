import { dayMs } from '../time.ts'
import { type AgentReport, canaryEveryMs } from './protocol.ts'
import { ownersOf } from './rendezvous.ts'

type AgentState = 'live' | 'silent' | 'stopped'

/** An agent as the server knows it. */
export type KnownAgent = Omit<AgentReport, 'canaryAgeMs'> & {
  /** When the last probe of its canaries began. */
  readonly canaryAt: number
  readonly state: AgentState
  readonly firstContact: number
  readonly lastContact: number
  /** The number of checks assigned to it. */
  readonly checks: number
}

/** The agents of one location of an account, and which checks each of them runs. */
export type LocationAgents = {
  /** Registers or updates an agent; false if there are too many others. */
  contact(report: AgentReport): boolean
  /** Marks a request of the agent as waiting for its answer: the agent counts as live until the returned function is called. */
  hold(instance: string): () => void
  /** An agent that stops gives its checks to the others at once. It may have reported to other processes until now. */
  stop(report: AgentReport): void
  /** Marks agents that have not reported as silent, and forgets those that have been away for long. */
  expireSilent(): void
  /** Assigns these checks to the live agents; `since` is when the slots of a check became the agent's. */
  deal(checkIds: readonly string[]): Dealing
  agents(): readonly KnownAgent[]
}

type Dealt = { readonly checkId: string; readonly since: number | null }
/** By instance. */
type Dealing = ReadonlyMap<string, readonly Dealt[]>

export type AgentEvent = { readonly kind: 'appeared' | 'returned' | 'lost' | 'stopped'; readonly agent: KnownAgent; readonly live: number }

type Options = {
  readonly now: () => number
  readonly onEvent: (event: AgentEvent) => void
  readonly silentAfterMs: number
}

type Entry = {
  report: AgentReport
  state: AgentState
  readonly firstContact: number
  lastContact: number
  canaryAt: number
  /** How many of its requests wait for an answer. */
  waiting: number
  /** Epoch: counts its starts and returns. Slots assigned in an earlier epoch are caught up with. */
  epoch: number
  /** When its previous epoch ended. */
  epochEnd: number
}
type Deal = { readonly instance: string; readonly epoch: number; readonly since: number | null }

/** An agent may not have run slots that were due this shortly before it reported that it stops. */
const stopMarginMs = 2000
const forgetAfterMs = dayMs
/** Whenever checks are dealt, each agent costs a hash of every check. */
export const maxAgents = 100

export function createLocationAgents({ now, onEvent, silentAfterMs }: Options): LocationAgents {
  const entries = new Map<string, Entry>()
  const deals = new Map<string, Deal>()
  let counts: ReadonlyMap<string, number> = new Map()

  function contact(report: AgentReport): boolean {
    if (!entries.has(report.instance) && !hasRoom()) return false
    const known = entries.get(report.instance)
    const entry = known ?? newEntry(report)
    const isNewEpoch = entry.state !== 'live' || entry.report.session !== report.session
    if (isNewEpoch) {
      entry.epoch += 1
      if (entry.state !== 'stopped') entry.epochEnd = entry.lastContact
    }
    const kind = known === undefined ? 'appeared' : 'returned'
    const wasAway = entry.state !== 'live'
    Object.assign(entry, { report, state: 'live', lastContact: now(), canaryAt: now() - (report.canaryAgeMs ?? canaryEveryMs) })
    entries.set(report.instance, entry)
    if (wasAway) announce(kind, entry)
    return true
  }

  function newEntry(report: AgentReport): Entry {
    return { report, state: 'stopped', firstContact: now(), lastContact: now(), canaryAt: 0, waiting: 0, epoch: 0, epochEnd: now() }
  }

  /** Evicts the agent that has been away longest if another one needs its place. */
  function hasRoom(): boolean {
    if (entries.size < maxAgents) return true
    const away = [...entries].filter(([, { state }]) => state !== 'live').toSorted(([, a], [, b]) => a.lastContact - b.lastContact)
    const [longest] = away[0] ?? []
    return longest !== undefined && entries.delete(longest)
  }

  function hold(instance: string): () => void {
    const entry = entries.get(instance)
    if (!entry) return () => {}
    entry.waiting += 1
    return () => {
      entry.waiting -= 1
      if (entry.state === 'live') entry.lastContact = now()
    }
  }

  function stop(report: AgentReport): void {
    const entry = entries.get(report.instance)
    if (!entry) {
      if (entries.size < maxAgents) entries.set(report.instance, newEntry(report))
      return
    }
    const { state } = entry
    Object.assign(entry, { report, state: 'stopped', lastContact: now() })
    if (state === 'live') entry.epochEnd = now() - stopMarginMs
    if (state !== 'stopped') announce('stopped', entry)
  }

  function expireSilent(): void {
    for (const [instance, entry] of entries) {
      followClock(entry)
      const silentMs = entry.waiting > 0 ? 0 : now() - entry.lastContact
      if (silentMs > forgetAfterMs) entries.delete(instance)
      if (entry.state !== 'live' || silentMs <= silentAfterMs) continue
      entry.state = 'silent'
      entry.epochEnd = entry.lastContact
      announce('lost', entry)
    }
  }

  /** Where the clock was set back, an agent that is silent must not count as heard of until the clock is there again. */
  function followClock(entry: Entry): void {
    entry.lastContact = Math.min(entry.lastContact, now())
    entry.canaryAt = Math.min(entry.canaryAt, now())
  }

  function announce(kind: AgentEvent['kind'], entry: Entry): void {
    onEvent({ kind, agent: shown(entry), live: liveInstances().length })
  }

  function liveInstances(): readonly string[] {
    return [...entries].filter(([, { state }]) => state === 'live').map(([instance]) => instance)
  }

  function deal(checkIds: readonly string[]): Dealing {
    const present = new Set(checkIds)
    for (const checkId of deals.keys()) if (!present.has(checkId)) deals.delete(checkId)
    const owners = ownersOf(checkIds, liveInstances())
    const dealing = new Map<string, Dealt[]>()
    for (const checkId of checkIds) {
      const owner = owners.get(checkId)
      if (owner === undefined) continue
      const dealt = dealing.get(owner) ?? []
      dealt.push({ checkId, since: dealTo(owner, checkId).since })
      dealing.set(owner, dealt)
    }
    counts = new Map([...dealing].map(([instance, { length }]) => [instance, length]))
    return dealing
  }

  function dealTo(instance: string, checkId: string): Deal {
    const last = deals.get(checkId)
    const epoch = entries.get(instance)?.epoch ?? 0
    if (last?.instance === instance && last.epoch === epoch) return last
    const current = { instance, epoch, since: last ? endOf(last) : null }
    deals.set(checkId, current)
    return current
  }

  /** When an assignment ended. */
  function endOf({ instance, epoch }: Deal): number {
    const entry = entries.get(instance)
    if (entry?.state === 'live' && entry.epoch === epoch) return now()
    return entry?.epochEnd ?? now()
  }

  function shown({ report, state, firstContact, lastContact, canaryAt }: Entry): KnownAgent {
    const checks = state === 'live' ? (counts.get(report.instance) ?? 0) : 0
    const { canaryAgeMs: _, ...rest } = report
    return { ...rest, state, firstContact, lastContact, canaryAt, checks }
  }

  return { contact, hold, stop, expireSilent, deal, agents: () => [...entries.values()].map(shown) }
}
