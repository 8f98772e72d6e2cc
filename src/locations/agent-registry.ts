import type { Catalogue, Check } from '../catalogue/catalogue.ts'
import { type AgentEvent, createLocationAgents, type KnownAgent, type LocationAgents } from './location-agents.ts'
import { type AgentReport, type Assignment, protocolVersion, toSent, toSentEvidence } from './protocol.ts'
import { createScriptWatch } from './script-watch.ts'

export type Place = { readonly account: string; readonly location: string }

/** The agents of all locations. What it knows is held in memory: after a restart of the server, agents report within seconds. */
export type AgentRegistry = {
  /** Notes that an agent was heard of. */
  contact(place: Place, report: AgentReport): void
  /** A request of the agent waits for its answer, until what is returned is called. */
  hold(place: Place, instance: string): () => void
  stop(place: Place, instance: string): void
  /** What an agent is to run now; with null, all checks of the location. */
  assignment(place: Place, instance: string | null): Assignment
  /** A bundle of scripts by its name, encoded; undefined where no check of the place has it. */
  scriptBundle(place: Place, name: string): string | undefined
  /** Resolves once the scripts of checks have been read for the first time. */
  ready(): Promise<void>
  agents(place: Place): readonly KnownAgent[]
  /** The locations of an account that agents have reported from. */
  locations(account: string): readonly string[]
  /** Resolves to true once assignments may have changed; to false where the signal is aborted or the registry closed before. */
  changed(signal: AbortSignal): Promise<boolean>
  /** To be called about twice a second. */
  sweep(): void
  /** Ends all waiting. */
  close(): void
}

type Log = { info(fields: object, message: string): void; warn(fields: object, message: string): void }
type Options = {
  readonly catalogue: Catalogue
  readonly now: () => number
  readonly log: Log
  /** Paths of scripts are relative to its folder. */
  readonly configFile: string
  /** An agent that was not heard of for this long has gone silent. Agents report every ten seconds. */
  readonly silentAfterMs?: number
}

export function createAgentRegistry({ catalogue, now, log, configFile, silentAfterMs = 15_000 }: Options): AgentRegistry {
  const places = new Map<string, { readonly place: Place; readonly agents: LocationAgents }>()
  const waiting = new Set<() => void>()
  const scripts = createScriptWatch(configFile)
  let reading: Promise<void> | null = null
  let firstReading: Promise<void> | null = null
  let knownService = catalogue.service()
  /** Agents need some time to report after the start, and after a location is given to them. */
  let checkLocationsAt = now() + 2 * silentAfterMs
  let isClosed = false

  function agentsAt(place: Place): LocationAgents {
    const key = JSON.stringify([place.account, place.location])
    const known = places.get(key)
    if (known) return known.agents
    const agents = createLocationAgents({ now, silentAfterMs, onEvent: (event) => onEvent(place, event) })
    places.set(key, { place, agents })
    return agents
  }

  function onEvent(place: Place, event: AgentEvent): void {
    logEvent(log, place, event)
    wake()
  }

  function wake(): void {
    for (const resolve of waiting) resolve()
  }

  function checksAt({ account, location }: Place): readonly Check[] {
    return catalogue.checks(account).filter((check) => isRun(check) && check.agentLocations.includes(location))
  }

  /** Where agents have been before, their loss was logged when it happened. */
  function logLocationsWithoutAgents(): void {
    checkLocationsAt = Number.POSITIVE_INFINITY
    const awaited = catalogue.allChecks().flatMap((check) => (isRun(check) ? placesOf(check) : []))
    for (const place of new Map(awaited.map((one) => [JSON.stringify(one), one])).values())
      if (agentsAt(place).agents().length === 0) log.warn(place, 'No agent of a location has reported to this process yet.')
  }

  /** One at a time; a reading that is under way is shared. */
  function readScripts(): Promise<void> {
    reading ??= scripts
      .refresh(catalogue.allChecks().filter((check) => isRun(check) && check.agentLocations.length > 0))
      .then((hasChanged) => {
        reading = null
        if (hasChanged) wake()
      })
    return reading
  }

  function assignment(place: Place, instance: string | null): Assignment {
    const checks = checksAt(place)
    const ids = checks.map(({ id }) => id)
    const dealt = instance === null ? ids.map((checkId) => ({ checkId, since: null })) : agentsAt(place).deal(instance, ids)
    const since = new Map(dealt.map((one) => [one.checkId, one.since]))
    return {
      protocol: protocolVersion,
      account: place.account,
      location: place.location,
      addresses: catalogue.service().addresses,
      evidence: toSentEvidence(catalogue.service()),
      checks: checks.flatMap((check) => {
        const sent = since.has(check.id) ? scripts.of(check) : undefined
        if (sent === undefined) return []
        return toSent(check, { since: since.get(check.id) ?? null, scripts: sent, settings: scripts.settings(check) })
      }),
    }
  }

  return {
    contact: (place, report) => agentsAt(place).contact(report),
    hold: (place, instance) => agentsAt(place).hold(instance),
    stop: (place, instance) => agentsAt(place).stop(instance),
    assignment,
    scriptBundle(place, name) {
      const has = checksAt(place).some((check) => {
        const sent = scripts.of(check)
        return sent && 'bundle' in sent && sent.bundle === name
      })
      return has ? scripts.bundle(name) : undefined
    },
    ready() {
      firstReading ??= readScripts()
      return firstReading
    },
    agents: (place) => agentsAt(place).agents(),
    locations: (account) =>
      [...places.values()].flatMap(({ place, agents }) => (place.account === account && agents.agents().length > 0 ? place.location : [])),
    changed: (signal) => {
      if (signal.aborted || isClosed) return Promise.resolve(false)
      return new Promise((resolve) => {
        const end = () => {
          waiting.delete(end)
          signal.removeEventListener('abort', end)
          resolve(!signal.aborted && !isClosed)
        }
        waiting.add(end)
        signal.addEventListener('abort', end)
      })
    },
    sweep() {
      for (const { agents } of places.values()) agents.sweep()
      if (now() >= checkLocationsAt) logLocationsWithoutAgents()
      void readScripts()
      if (knownService === catalogue.service()) return
      knownService = catalogue.service()
      checkLocationsAt = now() + 2 * silentAfterMs
      wake()
    },
    close() {
      isClosed = true
      wake()
    },
  }
}

function isRun({ activated, checkType }: Check): boolean {
  return activated && checkType.run !== undefined
}

function placesOf({ account, agentLocations }: Check): readonly Place[] {
  return agentLocations.map((location) => ({ account, location }))
}

function logEvent(log: Log, place: Place, { kind, agent, live }: AgentEvent): void {
  const { instance, name, version, lastContact } = agent
  const fields = { ...place, agent: instance, ...(name !== null && { agentName: name }), version, liveAgents: live }
  if (kind === 'appeared') log.info(fields, 'An agent has reported for the first time since the start.')
  if (kind === 'returned') log.info(fields, 'An agent has returned.')
  if (kind === 'stopped') log.info(fields, 'An agent has stopped.')
  if (kind === 'lost') log.warn({ ...fields, lastContact: new Date(lastContact).toISOString() }, 'An agent has gone silent.')
  if (live === 0) log.warn(place, 'A location has no agent: its checks are not run.')
}
