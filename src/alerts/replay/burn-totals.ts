import { maintenanceIntervals } from '../../calendar/schedule.ts'
import type { Span, Window } from '../../calendar/window.ts'
import type { Check } from '../../catalogue/catalogue.ts'
import { latencyMetric } from '../../catalogue/policies/latency-metric.ts'
import { maintenanceOf, type Slo, selector } from '../../catalogue/policies/policies.ts'
import type { FiledResult, NewResult } from '../../store/store.ts'
import { minuteMs } from '../../time.ts'
import type { AlertPlan } from '../decide/plan.ts'
import { followSpans, newTotals, type TimeTotals, timeAt, trackStateTime } from './track-state-time.ts'

/** Counted and bad runs of an SLO, or milliseconds. */
type Tally = { counted: number; bad: number }

/** Running totals of SLOs from results in order of time. */
type BurnTotals = {
  add(filed: FiledResult): void
  /** Computes the totals at a whole minute; minutes must ascend. */
  settle(minute: number): void
  of(slo: Slo): Readonly<Tally>
}

type Taker = (result: NewResult) => void

export const minutesOf = (ms: number) => Math.ceil(ms / minuteMs)

export function createBurnTotals({ checks, policies }: AlertPlan, slos: readonly Slo[], window: Window): BurnTotals {
  const takers = new Map<string, Taker[]>()
  const due = new Map<number, Set<(at: number) => void>>()
  const runs = new Map<Slo, Tally>()
  const times = new Map<Slo, TimeTotals>()
  const timed = new Map<Check, TimeTotals[]>()
  const maintenance = memoizedSpans((check) => maintenanceOf(policies, check), window)
  let now = minutesOf(window.from)

  function settleAt(at: number, settle: (at: number) => void): void {
    const minute = Math.max(now + 1, minutesOf(at))
    const others = due.get(minute)
    if (others) others.add(settle)
    else due.set(minute, new Set([settle]))
  }

  for (const slo of slos) {
    const own = [...checks.values()].filter(selector(slo))
    if (slo.objective.by === 'time') {
      const totals = newTotals()
      times.set(slo, totals)
      for (const check of own) addTo(timed, check, totals)
    } else {
      const tally = { counted: 0, bad: 0 }
      runs.set(slo, tally)
      for (const check of own) addTo(takers, check.id, runCounter(slo, check, maintenance(check), tally))
    }
  }
  for (const [check, totals] of timed) {
    const { add } = trackStateTime({ check, maintenance: maintenance(check), window, totals, onDue: settleAt })
    addTo(takers, check.id, add)
  }

  return {
    add({ check, result }) {
      for (const take of takers.get(check.checkId) ?? []) take(result)
    },
    settle(minute) {
      now = minute
      for (const settle of due.get(minute) ?? []) settle(minute * minuteMs)
      due.delete(minute)
    },
    of(slo) {
      const time = times.get(slo)
      const at = now * minuteMs - window.from
      return time ? { counted: timeAt(time.counted, at), bad: timeAt(time.bad, at) } : (runs.get(slo) ?? { counted: 0, bad: 0 })
    },
  }
}

/** Counts the runs of a check, or the values that an objective limits, except in maintenance. */
function runCounter(slo: Slo, check: Check, spans: readonly Span[], tally: Tally): Taker {
  const { objective } = slo
  const maintenance = followSpans(spans)
  const count = (isBad: boolean) => {
    tally.counted++
    if (isBad) tally.bad++
  }
  if (objective.kind === 'availability') return ({ startedAt, hasFailures }) => void (maintenance.includes(startedAt) || count(hasFailures))
  const metric = latencyMetric(objective.metric, check.checkType)
  const isOfPages = countsPages(slo, check)
  return (result) => {
    if (metric === null || maintenance.includes(result.startedAt)) return
    for (const { values } of isOfPages ? result.pages : [result]) {
      const value = values[metric]
      if (value !== undefined) count(value > objective.thresholdMs)
    }
  }
}

/** Whether the counted values of a check are measured on each of its pages. */
export function countsPages({ objective }: Slo, { checkType }: Check): boolean {
  const metric = objective.kind === 'latency' ? latencyMetric(objective.metric, checkType) : null
  return metric !== null && checkType.metrics[metric]?.perPage === true
}

/** Memoized: computed once for all checks with the same maintenance policies. */
function memoizedSpans<Policy extends Parameters<typeof maintenanceIntervals>[0][number]>(
  policiesOf: (check: Check) => readonly Policy[],
  window: Window,
): (check: Check) => readonly Span[] {
  const ids = new Map<Policy, number>()
  const known = new Map<string, readonly Span[]>()
  return (check) => {
    const policies = policiesOf(check)
    const key = policies.map((policy) => ids.get(policy) ?? ids.set(policy, ids.size).size).join()
    const spans = known.get(key) ?? maintenanceIntervals(policies, window)
    known.set(key, spans)
    return spans
  }
}

function addTo<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key)
  if (list) list.push(item)
  else lists.set(key, [item])
}
