import { randomUUID } from 'node:crypto'
import type { Transport } from '../alerts/channels/channel.ts'
import { channelTypes } from '../alerts/channels/registry.ts'
import { openTransport } from '../alerts/channels/transport.ts'
import { type AlertLoop, type AlertLoopOptions, startAlerts } from '../alerts/loop/alert-loop.ts'
import { burnMeasurement, leastPeriod, type MeasureBurn } from '../alerts/loop/burn-rates.ts'
import { watchCanaries } from '../alerts/loop/canaries.ts'
import type { ReachReport } from '../alerts/loop/reachability.ts'
import { startSharedAlerts } from '../alerts/shared/shared-alerts.ts'
import { lruCache } from '../cache/lru-cache.ts'
import type { Catalogue, ServiceSettings } from '../catalogue/catalogue.ts'
import { selector } from '../catalogue/policies/policies.ts'
import { reachesAny } from '../checks/probe/net/reach.ts'
import { asConfigured } from '../http/input/slo-params.ts'
import { loadSlo } from '../http/output/slo-status.ts'
import type { AgentRegistry } from '../locations/agent-registry.ts'
import type { ClickHouseServer } from '../store/clickhouse/clickhouse-store.ts'
import { type OpenStore, openCoordination } from '../store/open.ts'

type Parts = Pick<AlertLoopOptions, 'directory' | 'catalogue' | 'onConfigChange' | 'now' | 'log' | 'publicUrl' | 'onLost'> & {
  readonly store: OpenStore
  readonly agents: Pick<AgentRegistry, 'agents'>
  /** Whether this process runs the checks of a location that has no agents. */
  readonly runsHere: (location: string) => boolean
  /** Where other processes may send the same alerts; null where the store is of this process alone. */
  readonly server: ClickHouseServer | null
}

/** Alerts, with all types of channels and the address policy of checks; of processes that share a database, one sends them. */
export async function openAlerts({ agents, runsHere, ...parts }: Parts): Promise<AlertLoop> {
  const loop = await openLoop(parts)
  const { catalogue, log } = parts
  const canaries = watchCanaries({
    by: randomUUID(),
    own: () =>
      canariesOf(catalogue).filter(({ account, canary: { location } }) => !hasAgents(catalogue, account, location) && runsHere(location)),
    reach: (targets, signal) => reachesAny(targets, catalogue.service().addresses, signal),
    ofAgents: () => canariesOf(catalogue).flatMap(({ account, canary }) => reportsOf(agents, { account, location: canary.location })),
    report: loop.hearReach,
    onFailure: (error) => log.warn({ err: error }, 'What canaries could be reached could not be reported.'),
  })
  return {
    ...loop,
    async close() {
      await canaries.close()
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
  const accounts = new Set(catalogue.allChecks().map(({ account }) => account))
  return [...accounts].flatMap((account) => catalogue.policies(account).canaries.map((canary) => ({ account, canary })))
}

const hasAgents = (catalogue: Catalogue, account: string, location: string) =>
  catalogue.checks(account).some(({ agentLocations }) => agentLocations.includes(location))

/** What the agents say that are there now. */
function reportsOf(agents: Parts['agents'], place: { readonly account: string; readonly location: string }): readonly ReachReport[] {
  return agents
    .agents(place)
    .flatMap(({ instance, state, canary }) =>
      state === 'live' && canary ? [{ ...place, by: instance, isReached: canary === 'reached' }] : [],
    )
}

/** Obeys the address policy that the config file has now. */
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

/** The same arithmetic as the status of an SLO, over another window. */
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
