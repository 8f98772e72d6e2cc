import type { CheckType, Metric, RunResult, StateInterval } from '../api/answers.ts'
import { figure } from '../view/figures.ts'
import type { Since } from './trouble-lead.tsx'

type Definition = Readonly<Record<string, unknown>>

/** A limit is named after the limited metric: `degradedResponseTime`. */
const limitName = /^degraded([A-Z])(\w*)$/

/** Describes the first limit that a run exceeds. Null without limits, for example if results come from elsewhere. */
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

/** Finds a metric by the name of its limit; `responseTime` is the duration metric of the type, whatever its name. */
function limitedMetric(name: string, { metrics, duration }: Pick<CheckType, 'metrics' | 'duration'>): Metric | undefined {
  const [, first = '', rest = ''] = limitName.exec(name) ?? []
  const limited = first.toLowerCase() + rest
  return metrics.find((metric) => metric.name === limited || (limited === 'responseTime' && metric.name === duration))
}

type States = { readonly from: string; readonly intervals: readonly StateInterval[] }

/** Since when the last state of a window has lasted; null if that state is not degraded. */
export function degradedSince({ from, intervals }: States): Since {
  const last = intervals.at(-1)
  if (last?.state !== 'degraded') return null
  return { at: Date.parse(last.from), orEarlier: Date.parse(last.from) <= Date.parse(from) }
}
