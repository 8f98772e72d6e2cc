import type { CheckType } from '../../checks/define.ts'
import { nearest } from '../../text/nearest.ts'
import type { Finding, Path } from '../config-file/faults.ts'
import { valueFinding } from './fields.ts'

/** A check of the file, valid or not. `checkType` is undefined if the type is unknown. */
export type KnownCheck = { readonly id: string; readonly tags: readonly string[]; readonly checkType: CheckType | undefined }
export type KnownChecks = { readonly checks: readonly KnownCheck[]; readonly checkTypes: readonly CheckType[] }

/** Means the duration metric of each check's type. */
const durationName = 'duration'

/** The metric of a check type for a latency objective; null if the type has none. */
export function latencyMetric(metric: string, checkType: CheckType): string | null {
  return metric === durationName ? checkType.duration : metric
}

/** Rejects a metric unless all types of the chosen checks measure it in milliseconds. Without checks, one type that has it is enough. */
export function metricFindings(metric: string, path: Path, { checks, checkTypes }: KnownChecks): readonly Finding[] {
  if (metric === durationName) return []
  const chosen = checkTypes.filter((type) => checks.some(({ checkType }) => checkType === type))
  const named = (types: readonly CheckType[]) => types.filter((type) => timesOf(type).includes(metric))
  const lacking = chosen.filter((type) => !timesOf(type).includes(metric))
  if (chosen.length > 0 ? lacking.length === 0 : named(checkTypes).length > 0) return []
  const candidates = chosen.length > 0 ? sharedTimes(chosen) : [...new Set(checkTypes.flatMap(timesOf))]
  const owners = lacking.length > 0 ? ` of ${lacking.map(({ type }) => type).join(' and ')} checks` : ''
  const near = nearest(metric, [...candidates, durationName]).join(', ')
  return [valueFinding(path, `${metric} is not a metric in milliseconds${owners}; nearest: ${near}`)]
}

function sharedTimes([first, ...others]: readonly CheckType[]): readonly string[] {
  return first ? timesOf(first).filter((metric) => others.every((type) => timesOf(type).includes(metric))) : []
}

function timesOf({ metrics }: CheckType): readonly string[] {
  return Object.keys(metrics).filter((name) => metrics[name]?.unit === 'milliseconds')
}
