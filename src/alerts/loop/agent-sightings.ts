import { locationKey } from '../../ids/location-key.ts'
import { dayMs, hourMs } from '../../time.ts'
import type { AgentFacts } from '../decide/input.ts'
import type { SeenAgent } from '../outbox/alert-records.ts'

/** A report of a process that an agent is alive. */
export type AgentSighting = Pick<SeenAgent, 'account' | 'location' | 'instance' | 'name'> & {
  /** Unique to each start of the agent. */
  readonly session: string
  /** Whether it reported that it stops. */
  readonly isStopped: boolean
  /** How long ago it reported. */
  readonly agoMs: number
}

type Options = {
  readonly now: () => number
  readonly stored: readonly SeenAgent[]
  readonly record: (seen: readonly SeenAgent[], forgotten: readonly SeenAgent[]) => Promise<void>
  /** Called if an agent is new, has returned after a while, or has stopped. */
  readonly onNews: (account: string) => void
}

/** An agent that is silent for this long is no longer expected. */
const forgetAgentMs = 7 * dayMs
/** As many as a location can have. */
const maxPerLocation = 100
/** After this time without a report an agent may be silent: its last report is then recorded exactly, before that to the hour. */
const quietMs = 45_000
const recordEveryMs = hourMs

/** Tracks when each agent last reported to any process. Persisted, so that an agent that disappears during a restart is noticed. */
export function createAgentSightings({ now, stored, record, onNews }: Options) {
  /** By location, then instance. */
  const places = new Map<string, Map<string, SeenAgent>>()
  const written = new Map(stored.map((agent) => [keyOf(agent), agent]))
  for (const agent of stored) put(agent)

  function put(agent: SeenAgent): void {
    const place = locationKey(agent)
    places.set(place, (places.get(place) ?? new Map()).set(agent.instance, agent))
  }

  /** Records a sighting; returns whether it is news. */
  function hear({ agoMs, session, isStopped, ...about }: AgentSighting): boolean {
    const known = places.get(locationKey(about))?.get(about.instance)
    const at = now() - agoMs
    if (known && isOutdated(known, { at, session })) return false
    const lastAt = known && known.lastAt <= now() ? Math.max(known.lastAt, at) : at
    put({ ...about, firstAt: known?.firstAt ?? at, lastAt, stoppedSession: isStopped ? session : null })
    return !known || isStopped || known.stoppedSession !== null || at - known.lastAt >= quietMs
  }

  /** Drops agents that are no longer expected. */
  function forget(): readonly SeenAgent[] {
    const forgotten: SeenAgent[] = []
    for (const [place, agents] of places) {
      const kept = new Set(keptOf(agents, now()))
      const gone = [...agents.values()].filter((agent) => !kept.has(agent))
      for (const { instance } of gone) agents.delete(instance)
      if (agents.size === 0) places.delete(place)
      forgotten.push(...gone)
    }
    return forgotten
  }

  function isDue(agent: SeenAgent): boolean {
    const last = written.get(keyOf(agent))
    if (!last || last.name !== agent.name || last.stoppedSession !== agent.stoppedSession) return true
    const ahead = agent.lastAt - last.lastAt
    return ahead >= recordEveryMs || ahead < 0 || (ahead > 0 && now() - agent.lastAt >= quietMs)
  }

  /** Writes the state that a restart needs; with `all`, exact times. */
  async function flush(all = false): Promise<void> {
    const forgotten = forget().filter((agent) => written.has(keyOf(agent)))
    const isChanged = (agent: SeenAgent) => written.get(keyOf(agent))?.lastAt !== agent.lastAt
    const known = [...places.values()].flatMap((agents) => [...agents.values()])
    const seen = known.filter((agent) => isDue(agent) || (all && isChanged(agent)))
    if (seen.length + forgotten.length === 0) return
    await record(seen, forgotten)
    for (const agent of forgotten) written.delete(keyOf(agent))
    for (const agent of seen) written.set(keyOf(agent), agent)
  }

  return {
    /** Resolves once the state that a restart needs is on disk. */
    async hear(sightings: readonly AgentSighting[]): Promise<void> {
      const news = new Set(sightings.filter(hear).map(({ account }) => account))
      await flush()
      for (const account of news) onNews(account)
    },
    flush,
    /** The agents of a location that are expected to report. */
    of(account: string, location: string): readonly AgentFacts[] {
      return keptOf(places.get(locationKey({ account, location })) ?? new Map(), now()).flatMap(
        ({ instance, name, lastAt, stoppedSession }) =>
          stoppedSession === null ? [{ instance, name, lastAt, forgottenAt: lastAt + forgetAgentMs }] : [],
      )
    },
  }
}

const keyOf = ({ account, location, instance }: Pick<SeenAgent, 'account' | 'location' | 'instance'>) =>
  JSON.stringify([account, location, instance])

/** A sighting from before the agent stopped may arrive late, through another process. Without a session, only its time can show that. */
function isOutdated({ stoppedSession, lastAt }: SeenAgent, { at, session }: { readonly at: number; readonly session: string }): boolean {
  if (stoppedSession === null) return false
  return at <= lastAt || (stoppedSession === session && (session !== '' || at < lastAt + quietMs))
}

/** Excludes agents that were silent for too long, that another one of the same name has replaced, or that exceed the limit. */
function keptOf(agents: ReadonlyMap<string, SeenAgent>, now: number): readonly SeenAgent[] {
  const kept: SeenAgent[] = []
  for (const agent of [...agents.values()].sort((a, b) => b.lastAt - a.lastAt)) {
    const isReplaced = agent.name !== null && kept.some(({ name, firstAt }) => name === agent.name && firstAt > agent.lastAt)
    if (!isReplaced && now < agent.lastAt + forgetAgentMs && kept.length < maxPerLocation) kept.push(agent)
  }
  return kept
}
