import { type Catalogue, type Check, isRun, type ServiceSettings } from '../catalogue/catalogue.ts'
import { type LocationRef, locationKey } from '../ids/location-key.ts'
import { isRecent } from '../time.ts'
import { type AgentEvent, createLocationAgents, type KnownAgent, type LocationAgents } from './location-agents.ts'
import { type AgentReport, type Assignment, protocolVersion, type SentTrial, toAgent, toSentEvidence } from './protocol.ts'
import { createRenewal, type Renewal } from './renewal.ts'
import { createScriptWatch } from './script-watch.ts'

/** The assignments of a location's agents, until something changes. */
export type LocationDeal = {
  /** The assignment of one agent, the same object each time; for null, all checks of the location. */
  of(instance: string | null): Assignment
}

/** The agents of all locations. Held in memory: after a restart of the server, agents report within seconds. */
export type AgentRegistry = {
  /** Records that an agent has reported; false if its location has too many others. */
  contact(place: LocationRef, report: AgentReport): boolean
  /** Marks a request of the agent as waiting for its answer, until the returned function is called. */
  hold(place: LocationRef, instance: string): () => void
  stop(place: LocationRef, report: AgentReport): void
  /** Calls back when an agent reports that it stops; returns an unsubscribe function. */
  onStopped(listener: (place: LocationRef) => void): () => void
  /** Call when an agent of this location has just probed its canaries. */
  announceCanary(place: LocationRef): void
  /** Calls back at each `announceCanary`; returns an unsubscribe function. */
  onCanary(listener: (place: LocationRef) => void): () => void
  /** Has an agent run a check once; the returned function cancels it. */
  giveTrial(place: LocationRef, instance: string, trial: SentTrial): () => void
  /** The current deal. Checks are dealt at most four times a second; a change waits until then. */
  deal(place: LocationRef): Promise<LocationDeal>
  /** Resolves to true once the deal differs from `seen`; to false if the signal is aborted or the registry closed first. */
  changed(place: LocationRef, seen: LocationDeal, signal: AbortSignal): Promise<boolean>
  /** A bundle of scripts by its name, encoded; undefined if no check of the location has it. */
  scriptBundle(place: LocationRef, name: string): string | undefined
  /** Resolves once the scripts of checks have been read for the first time. */
  ready(): Promise<void>
  agents(place: LocationRef): readonly KnownAgent[]
  /** The locations of an account that agents have reported from. */
  locations(account: string): readonly string[]
  /** Call about twice a second. */
  tick(): void
  /** Resolves all waiting calls. */
  close(): void
}

type Log = { info(fields: object, message: string): void; warn(fields: object, message: string): void }
type Options = {
  readonly catalogue: Catalogue
  readonly now: () => number
  readonly log: Log
  /** Paths of scripts are relative to its folder. */
  readonly configFile: string
  /** An agent that has not reported for this long is silent. Agents report every ten seconds. */
  readonly silentAfterMs?: number
}

type KnownPlace = { readonly place: LocationRef; readonly agents: LocationAgents; readonly deals: Renewal<LocationDeal> }
/** The checks that agents run at a location; `scripted` are those that need files. */
type PlaceChecks = { readonly place: LocationRef; readonly checks: Check[]; readonly scripted: Check[] }

type GivenTrial = { readonly place: LocationRef; readonly instance: string; readonly trial: SentTrial }

const dealEveryMs = 250
const noChecks = { checks: [], scripted: [] }

export function createAgentRegistry({ catalogue, now, log, configFile, silentAfterMs = 15_000 }: Options): AgentRegistry {
  const places = new Map<string, KnownPlace>()
  const scripts = createScriptWatch(configFile)
  const stopListeners = new Set<(place: LocationRef) => void>()
  const canaryListeners = new Set<(place: LocationRef) => void>()
  const trials = new Set<GivenTrial>()
  let reading: Promise<void> | null = null
  let firstReading: Promise<void> | null = null
  let known = checksByPlace(catalogue)
  /** Agents need some time to report after the start, and after a location is assigned to them. Null once those without any are logged. */
  let assignedAt: number | null = now()
  let isClosed = false

  function placeOf(place: LocationRef): KnownPlace {
    const key = locationKey(place)
    const found = places.get(key)
    if (found) return found
    const agents = createLocationAgents({ now, silentAfterMs, onEvent: (event) => onEvent(place, event) })
    const created = { place, agents, deals: createRenewal(() => dealAt(place, agents), dealEveryMs) }
    if (isClosed) created.deals.close()
    places.set(key, created)
    return created
  }

  function onEvent(place: LocationRef, event: AgentEvent): void {
    logEvent(log, place, event)
    placeOf(place).deals.invalidate()
  }

  function checksAt(place: LocationRef): Pick<PlaceChecks, 'checks' | 'scripted'> {
    return known.byPlace.get(locationKey(place)) ?? noChecks
  }

  /** The catalogue replaces its service settings when the config file changes. */
  function followCatalogue(): void {
    if (known.service === catalogue.service()) return
    known = checksByPlace(catalogue)
    assignedAt = now()
    for (const { deals } of places.values()) deals.invalidate()
  }

  /** Only for locations without known agents: the loss of an agent is logged when it happens. */
  function logLocationsWithoutAgents(): void {
    assignedAt = null
    for (const { place } of known.byPlace.values())
      if (placeOf(place).agents.agents().length === 0) log.warn(place, 'No agent of a location has reported to this process yet.')
  }

  /** Reads once at a time; concurrent callers share the read. */
  function readScripts(): Promise<void> {
    reading ??= scripts.refresh(known.scripted).then((hasChanged) => {
      reading = null
      if (!hasChanged) return
      for (const { place, deals } of places.values()) if (checksAt(place).scripted.length > 0) deals.invalidate()
    })
    return reading
  }

  function dealAt(place: LocationRef, agents: LocationAgents): LocationDeal {
    const { checks } = checksAt(place)
    const dealing = agents.deal(checks.map(({ id }) => id))
    const all = checks.map(({ id }) => ({ checkId: id, since: null }))
    const assignments = new Map<string | null, Assignment>()
    const given = [...trials].filter((trial) => locationKey(trial.place) === locationKey(place))
    const make = (instance: string | null) => {
      const dealt = instance === null ? all : (dealing.get(instance) ?? [])
      const own = given.filter((trial) => trial.instance === instance).map(({ trial }) => trial)
      const made = assignmentOf(place, checks, new Map(dealt.map(({ checkId, since }) => [checkId, since])))
      return own.length === 0 ? made : { ...made, trials: own }
    }
    const isOwn = (instance: string) => dealing.has(instance) || given.some((trial) => trial.instance === instance)
    return {
      of(instance) {
        // Agents with nothing to run share one assignment, since there may be any number of them.
        const key = instance === null || isOwn(instance) ? instance : ''
        const made = assignments.get(key) ?? make(key)
        assignments.set(key, made)
        return made
      },
    }
  }

  function assignmentOf(place: LocationRef, checks: readonly Check[], since: ReadonlyMap<string, number | null>): Assignment {
    return {
      protocol: protocolVersion,
      account: place.account,
      location: place.location,
      addresses: known.service.addresses,
      evidence: toSentEvidence(known.service),
      ...canariesOf(place),
      checks: checks.flatMap((check) => {
        const sent = since.has(check.id) ? scripts.of(check) : undefined
        if (sent === undefined) return []
        return toAgent(check, { since: since.get(check.id) ?? null, scripts: sent, settings: scripts.settings(check) })
      }),
    }
  }

  function canariesOf({ account, location }: LocationRef): Pick<Assignment, 'canaries'> {
    const canary = catalogue.policies(account).canaries.find((each) => each.location === location)
    return canary ? { canaries: canary.targets } : {}
  }

  return {
    contact: (place, report) => placeOf(place).agents.contact(report),
    hold: (place, instance) => placeOf(place).agents.hold(instance),
    stop(place, report) {
      placeOf(place).agents.stop(report)
      for (const listener of stopListeners) listener(place)
    },
    onStopped(listener) {
      stopListeners.add(listener)
      return () => stopListeners.delete(listener)
    },
    announceCanary(place) {
      for (const listener of canaryListeners) listener(place)
    },
    onCanary(listener) {
      canaryListeners.add(listener)
      return () => canaryListeners.delete(listener)
    },
    giveTrial(place, instance, trial) {
      const given = { place, instance, trial }
      trials.add(given)
      placeOf(place).deals.invalidate()
      return () => {
        trials.delete(given)
        placeOf(place).deals.invalidate()
      }
    },
    deal(place) {
      followCatalogue()
      return placeOf(place).deals.current()
    },
    changed: (place, seen, signal) => placeOf(place).deals.changed(seen, signal),
    scriptBundle(place, name) {
      followCatalogue()
      const has = checksAt(place).scripted.some((check) => {
        const sent = scripts.of(check)
        return sent && 'bundle' in sent && sent.bundle === name
      })
      return has ? scripts.bundle(name) : undefined
    },
    ready() {
      firstReading ??= readScripts()
      return firstReading
    },
    agents: (place) => places.get(locationKey(place))?.agents.agents() ?? [],
    locations: (account) =>
      [...places.values()].flatMap(({ place, agents }) => (place.account === account && agents.agents().length > 0 ? place.location : [])),
    tick() {
      followCatalogue()
      for (const { agents } of places.values()) agents.expireSilent()
      if (assignedAt !== null && !isRecent(assignedAt, 2 * silentAfterMs, now())) logLocationsWithoutAgents()
      if (known.scripted.length > 0) void readScripts()
    },
    close() {
      isClosed = true
      for (const { deals } of places.values()) deals.close()
    },
  }
}

type KnownChecks = {
  readonly service: ServiceSettings
  readonly byPlace: ReadonlyMap<string, PlaceChecks>
  /** The checks of all locations that need files. */
  readonly scripted: readonly Check[]
}

function checksByPlace(catalogue: Catalogue): KnownChecks {
  const byPlace = new Map<string, PlaceChecks>()
  const scripted: Check[] = []
  for (const check of catalogue.allChecks()) {
    if (check.agentLocations.length === 0 || !isRun(check)) continue
    const needsFiles = (check.checkType.files?.(check.settings) ?? []).length > 0
    if (needsFiles) scripted.push(check)
    for (const location of check.agentLocations) {
      const place = { account: check.account, location }
      const found = byPlace.get(locationKey(place)) ?? { place, checks: [], scripted: [] }
      found.checks.push(check)
      if (needsFiles) found.scripted.push(check)
      byPlace.set(locationKey(place), found)
    }
  }
  return { service: catalogue.service(), byPlace, scripted }
}

function logEvent(log: Log, place: LocationRef, { kind, agent, live }: AgentEvent): void {
  const { instance, name, version, lastContact } = agent
  const fields = { ...place, agent: instance, ...(name !== null && { agentName: name }), version, liveAgents: live }
  if (kind === 'appeared') log.info(fields, 'An agent reported for the first time since the start.')
  if (kind === 'returned') log.info(fields, 'An agent has returned.')
  if (kind === 'stopped') log.info(fields, 'An agent has stopped.')
  if (kind === 'lost') log.warn({ ...fields, lastContact: new Date(lastContact).toISOString() }, 'An agent stopped reporting.')
  if (live === 0) log.warn(place, 'A location has no agent: its checks are not run.')
}
