import { randomUUID } from 'node:crypto'
import type { Transport } from '../alerts/channels/channel.ts'
import { channelTypes } from '../alerts/channels/registry.ts'
import { openTransport } from '../alerts/channels/transport.ts'
import type { AgentSighting } from '../alerts/loop/agent-sightings.ts'
import { type AlertLoop, type AlertLoopOptions, startAlerts } from '../alerts/loop/alert-loop.ts'
import { burnMeasurement, leastPeriod, type MeasureBurn } from '../alerts/loop/burn-rates.ts'
import { watchCanaries } from '../alerts/loop/canaries.ts'
import type { ReachReport } from '../alerts/loop/reachability.ts'
import { reportAgents } from '../alerts/loop/report-agents.ts'
import { startSharedAlerts } from '../alerts/shared/shared-alerts.ts'
import { asConfigured, loadSlo } from '../analytics/slo/load-slo.ts'
import { lruCache } from '../cache/cache.ts'
import type { Catalogue, ServiceSettings } from '../catalogue/catalogue.ts'
import { selector } from '../catalogue/policies/policies.ts'
import { reachesAny } from '../checks/probe/net/reach.ts'
import { grouped } from '../collections/lists.ts'
import type { LocationRef } from '../ids/location-key.ts'
import type { AgentRegistry } from '../locations/agent-registry.ts'
import { createFirstFailures } from '../locations/first-failures.ts'
import type { ClickHouseServer } from '../store/clickhouse/clickhouse-store.ts'
import { type OpenStore, openCoordination } from '../store/open.ts'
import { minuteMs } from '../time.ts'

type Parts = Pick<AlertLoopOptions, 'directory' | 'catalogue' | 'onConfigChange' | 'now' | 'log' | 'publicUrl' | 'onLost'> & {
  readonly store: OpenStore
  readonly agents: Pick<AgentRegistry, 'agents' | 'locations' | 'onCanary' | 'onStopped'>
  /** Whether this process runs the checks of a location that has no agents. */
  readonly runsHere: (location: string) => boolean
  /** Set when other processes may send the same alerts; null when this process owns the store. */
  readonly server: ClickHouseServer | null
}

/** Starts alerting with all channel types and the address policy of checks. One of the processes that share a database sends alerts. */
export async function openAlerts({ agents, runsHere, ...parts }: Parts): Promise<AlertLoop> {
  const loop = await openLoop(parts)
  const { catalogue, log, store } = parts
  const own = () =>
    canariesOf(catalogue).filter(({ account, canary: { location } }) => !hasAgents(catalogue, account, location) && runsHere(location))
  const canaries = watchCanaries({
    by: randomUUID(),
    own,
    reach: (targets, signal) => reachesAny(targets, catalogue.service().addresses, signal),
    ofAgents: (place) =>
      (place ? [place] : canariesOf(catalogue).map(({ account, canary: { location } }) => ({ account, location }))).flatMap((each) =>
        reportsOf(agents, parts.now(), each),
      ),
    report: loop.hearReach,
    onFailure: (error) => log.warn({ err: error }, 'Could not report canary findings.'),
  })
  const failures = followFailures({ store, own, onFailing: canaries.hurry })
  const reports = reportAgents({
    sightings: () => sightingsOf(agents, catalogue, parts.now()),
    report: loop.hearAgents,
    onFailure: (error) => log.warn({ err: error }, 'Could not report agents.'),
  })
  const stops = [
    agents.onCanary(canaries.hearAgent),
    agents.onStopped(reports.hurry),
    parts.onConfigChange(failures.follow),
    failures.close,
  ]
  return {
    ...loop,
    async close() {
      for (const stop of stops) stop()
      await Promise.all([canaries.close(), reports.close()])
      await loop.close()
    },
  }
}

async function openLoop({ server, ...rest }: Omit<Parts, 'agents' | 'runsHere'>): Promise<AlertLoop> {
  const { store, catalogue, now } = rest
  const options = { ...rest, channelTypes, measureBurn: measureBurnOf({ store, catalogue, now }) }
  if (!server) return startAlerts({ ...options, transport: currentTransport(catalogue, now, () => true) })
  const coordination = await openCoordination(server)
  return startSharedAlerts({ ...options, coordination, transport: (maySend) => currentTransport(catalogue, now, maySend) })
}

function canariesOf(catalogue: Catalogue) {
  return catalogue.accountsWithChecks().flatMap((account) => catalogue.policies(account).canaries.map((canary) => ({ account, canary })))
}

const hasAgents = (catalogue: Catalogue, account: string, location: string) =>
  catalogue.checks(account).some(({ agentLocations }) => agentLocations.includes(location))

function reportsOf(agents: Parts['agents'], now: number, place: LocationRef): readonly ReachReport[] {
  return agents
    .agents(place)
    .flatMap(({ instance, state, canary, canaryAt }) =>
      state === 'live' && canary ? [{ ...place, by: instance, isReached: canary === 'reached', agoMs: now - canaryAt }] : [],
    )
}

/** The leader already has older reports. */
const reportedMs = 10 * minuteMs

/** Agents of accounts that have rules about silent agents. */
function sightingsOf(agents: Parts['agents'], catalogue: Catalogue, now: number): readonly AgentSighting[] {
  const watched = catalogue
    .accountsWithChecks()
    .filter((account) => catalogue.policies(account).alerts.some(({ when }) => when.kind === 'silent'))
  return watched.flatMap((account) =>
    agents.locations(account).flatMap((location) =>
      agents.agents({ account, location }).flatMap(({ instance, name, session, state, lastContact }) => {
        const agoMs = now - lastContact
        return agoMs > reportedMs ? [] : [{ account, location, instance, name, session, isStopped: state === 'stopped', agoMs }]
      }),
    ),
  )
}

type Failures = {
  readonly store: Pick<OpenStore, 'onAppended'>
  readonly own: () => readonly { readonly account: string; readonly canary: { readonly location: string } }[]
  readonly onFailing: (place: LocationRef) => void
}

/** Calls back when a check starts to fail at a location whose canaries this process probes. */
function followFailures({ store, own, onFailing }: Failures) {
  let stops: readonly (() => void)[] = []
  function listen(account: string, locations: ReadonlySet<string>): () => void {
    const failures = createFirstFailures(locations)
    return store.onAppended(account, (added) => {
      for (const location of failures(added)) onFailing({ account, location })
    })
  }
  function close(): void {
    for (const stop of stops) stop()
  }
  function follow(): void {
    close()
    const byAccount = grouped(own(), ({ account }) => account)
    stops = Array.from(byAccount, ([account, all]) => listen(account, new Set(all.map(({ canary }) => canary.location))))
  }
  follow()
  return { follow, close }
}

/** Follows changes of the address policy in the config file. */
function currentTransport(catalogue: Catalogue, now: () => number, maySend: () => boolean): Transport {
  const transports = lruCache<ServiceSettings['addresses'], Transport>(1)
  const current = () => {
    const { addresses } = catalogue.service()
    return transports.getOrCreate(addresses, () => openTransport({ addresses, now, maySend }))
  }
  return {
    now,
    timeoutMs: current().timeoutMs,
    request: (...args) => current().request(...args),
    connect: (...args) => current().connect(...args),
  }
}

/** Uses the arithmetic of the SLO status, over another window. */
function measureBurnOf({ store, catalogue, now }: Pick<Parts, 'store' | 'catalogue' | 'now'>): MeasureBurn {
  return async (account, slo, windowMs, signal) => {
    const at = now()
    const overrides = { ...asConfigured, from: at - windowMs, to: at }
    const caller = { account, key: 'alerts' }
    const { attained, budget, objective } = await loadSlo(
      { store, catalogue, clock: { now: () => at } },
      { account, slo, overrides, options: { signal, caller } },
    )
    const leastPeriodMs = leastPeriod(catalogue.checks(account).filter(selector(slo)))
    return burnMeasurement({ attained, ...budget }, { target: objective.target, leastPeriodMs })
  }
}
