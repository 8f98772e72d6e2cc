import type { Transport } from '../alerts/channels/channel.ts'
import { channelTypes } from '../alerts/channels/registry.ts'
import { openTransport } from '../alerts/channels/transport.ts'
import { type AlertLoop, type AlertLoopOptions, startAlerts } from '../alerts/loop/alert-loop.ts'
import type { MeasureBurn } from '../alerts/loop/burn-rates.ts'
import { lruCache } from '../cache/lru-cache.ts'
import type { Catalogue, ServiceSettings } from '../catalogue/catalogue.ts'
import { selector } from '../catalogue/policies/policies.ts'
import { rhythmOf } from '../catalogue/rhythm.ts'
import { asConfigured } from '../http/input/slo-params.ts'
import { loadSlo } from '../http/output/slo-status.ts'
import type { OpenStore } from '../store/open.ts'

type Parts = Pick<AlertLoopOptions, 'directory' | 'catalogue' | 'onConfigChange' | 'now' | 'log' | 'publicUrl' | 'onLost'> & {
  readonly store: OpenStore
}

/** Alerts of this process, with all types of channels and the address policy of checks. */
export function openAlerts({ store, catalogue, now, ...rest }: Parts): Promise<AlertLoop> {
  const transport = currentTransport(catalogue, now)
  return startAlerts({ ...rest, store, catalogue, now, channelTypes, transport, measureBurn: measureBurnOf({ store, catalogue, now }) })
}

/** Obeys the address policy that the config file has now. */
function currentTransport(catalogue: Catalogue, now: () => number): Transport {
  const transports = lruCache<ServiceSettings['addresses'], Transport>(1)
  const current = () => {
    const { addresses } = catalogue.service()
    return transports.getOrCreate(addresses, () => openTransport({ addresses, now }))
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
