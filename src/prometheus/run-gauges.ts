import type { CheckType } from '../checks/define.ts'
import type { Result } from '../store/store.ts'
import type { Family } from '../text/exposition.ts'
import { dayMs } from '../time.ts'
import { checkFamilies } from './check-families.ts'

/** The fields of a result that the gauges read. */
export type Run = Pick<Result, 'startedAt' | 'runLocation' | 'hasFailures' | 'isDegraded' | 'values'>
type TypeOfRun = Pick<CheckType, 'duration' | 'fields'>

/** A gauge of a single result: the last one in a scrape, each one in an export. */
export type RunGauge = {
  readonly family: Family
  /** Null if the run has no value. */
  readonly read: (run: Run, checkType: TypeOfRun | null) => number | null
  readonly appliesTo: (checkType: TypeOfRun | null) => boolean
}

const certificateField = 'sslDaysRemaining'

export const runGauges: readonly RunGauge[] = [
  { family: checkFamilies.up, read: ({ hasFailures }) => (hasFailures ? 0 : 1), appliesTo: () => true },
  {
    family: checkFamilies.degraded,
    read: ({ hasFailures, isDegraded }) => (isDegraded && !hasFailures ? 1 : 0),
    appliesTo: () => true,
  },
  {
    family: checkFamilies.lastDuration,
    read: ({ values }, checkType) => times(values[checkType?.duration ?? ''], 1 / 1000),
    appliesTo: (checkType) => typeof checkType?.duration === 'string',
  },
  {
    family: checkFamilies.certificate,
    read: ({ values }) => times(values[certificateField], dayMs / 1000),
    appliesTo: (checkType) => checkType?.fields.includes(certificateField) === true,
  },
]

function times(value: number | undefined, factor: number): number | null {
  return value === undefined ? null : Number((value * factor).toPrecision(15))
}
