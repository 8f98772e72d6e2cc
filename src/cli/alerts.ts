import type { Transport } from '../alerts/channels/channel.ts'
import { channelTypes } from '../alerts/channels/registry.ts'
import { openTransport } from '../alerts/channels/transport.ts'
import { type AlertLoop, type AlertLoopOptions, startAlerts } from '../alerts/loop/alert-loop.ts'
import type { MeasureBurn } from '../alerts/loop/burn-rates.ts'
import { startSharedAlerts } from '../alerts/shared/shared-alerts.ts'
import { lruCache } from '../cache/lru-cache.ts'
import type { Catalogue, ServiceSettings } from '../catalogue/catalogue.ts'
import { selector } from '../catalogue/policies/policies.ts'
import { rhythmOf } from '../catalogue/rhythm.ts'
import { asConfigured } from '../http/input/slo-params.ts'
import { loadSlo } from '../http/output/slo-status.ts'
import type { ClickHouseServer } from '../store/clickhouse/clickhouse-store.ts'
import { type OpenStore, openCoordination } from '../store/open.ts'

type Parts = Pick<AlertLoopOptions, 'directory' | 'catalogue' | 'onConfigChange' | 'now' | 'log' | 'publicUrl' | 'onLost'> & {
  readonly store: OpenStore
  /** Where other processes may send the same alerts; null where the store is of this process alone. */
  readonly server: ClickHouseServer | null
}

/** Alerts, with all types of channels and the address policy of checks; of processes that share a database, one sends them. */
export async function openAlerts({ server, ...rest }: Parts): Promise<AlertLoop> {
  const { store, catalogue, now } = rest
  const options = { ...rest, channelTypes, measureBurn: measureBurnOf({ store, catalogue, now }) }
  if (!server) return startAlerts({ ...options, transport: currentTransport(catalogue, now, () => true) })
  const coordination = await openCoordination(server)
  return startSharedAlerts({ ...options, coordination, transport: (maySend) => currentTransport(catalogue, now, maySend) })
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
    if (attained === null) return null
    const periods = catalogue
      .checks(account)
      .filter(selector(slo))
      .map((check) => rhythmOf(check).periodMs)
    const badRuns = budget.unit === 'runs' ? budget.used : (budget.used * 1000) / Math.min(...periods)
    return { rate: (100 - attained) / (100 - objective.target), badRuns: Math.floor(badRuns + 1e-9) }
  }
}
