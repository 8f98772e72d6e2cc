import type { CheckType, Metric, RunResult, StateInterval } from '../api/answers.ts'
import { figure } from '../view/figures.ts'
import type { Since } from './trouble-lead.tsx'

type Definition = Readonly<Record<string, unknown>>

/** Limits of a definition have the name of what they limit: `degradedResponseTime`. */
const limitName = /^degraded([A-Z])(\w*)$/

/** The first of its limits that a run exceeds; null where it has none, as when results come from elsewhere. */
export function whyDegraded(
  definition: Definition,
  checkType: Pick<CheckType, 'metrics' | 'duration'>,
  run: Partial<RunResult>,
): string | null {
  for (const [name, limit] of Object.entries(definition)) {
    const metric = limitedMetric(name, checkType)
    if (metric === undefined || typeof limit !== 'number') continue
    const value = run[metric.name] ?? (metric.name === checkType.duration ? run.responseTime : null)
    if (typeof value === 'number' && value > limit)
      return `${metric.label}: ${figure(value, metric.unit)}, more than ${figure(limit, metric.unit)}`
  }
  return null
}

/** By its name; a response time is that which the type has, whatever it is called there. */
function limitedMetric(name: string, { metrics, duration }: Pick<CheckType, 'metrics' | 'duration'>): Metric | undefined {
  const [, first = '', rest = ''] = limitName.exec(name) ?? []
  const limited = first.toLowerCase() + rest
  return metrics.find((metric) => metric.name === limited || (limited === 'responseTime' && metric.name === duration))
}

type States = { readonly from: string; readonly intervals: readonly StateInterval[] }

/** Since when the last state of a window lasts, where that is degraded. */
export function degradedSince({ from, intervals }: States): Since {
  const last = intervals.at(-1)
  if (last?.state !== 'degraded') return null
  return { at: Date.parse(last.from), orEarlier: Date.parse(last.from) <= Date.parse(from) }
}
