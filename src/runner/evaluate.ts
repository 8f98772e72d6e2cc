import { type Check, refOf } from '../catalogue/catalogue.ts'
import type { CheckType } from '../checks/define.ts'
import type { Metrics } from '../checks/metric.ts'
import type { Measured } from '../checks/probe/run.ts'
import { derivedId } from '../store/derived-id.ts'
import { slotId } from '../store/slot-id.ts'
import type { PageResult, Result } from '../store/store.ts'

type Evaluation = Pick<Result, 'hasFailures' | 'hasErrors' | 'isDegraded' | 'overMaxResponseTime' | 'error'>
type RunInfo = {
  readonly runLocation: string
  /** The time of its slot; undefined for a run outside of the schedule. */
  readonly slotAt?: number | undefined
  readonly startedAt: number
  readonly attempts: number
}

/** Whether a measurement is a failure, an error or degraded by the check's own limits, and why. */
export function evaluateRun(check: Check, measured: Measured<Metrics>): Evaluation {
  const took = tookMs(check.checkType, measured)
  const overMaxResponseTime = isOver(took, check.maxResponseTimeMs)
  const error = measured.failure ?? (overMaxResponseTime ? tooSlow(check, took) : null)
  const hasFailures = error !== null
  return {
    hasFailures,
    hasErrors: hasFailures && measured.broken,
    isDegraded: !hasFailures && (measured.degraded === true || isOver(took, check.degradedResponseTimeMs)),
    overMaxResponseTime,
    error: error === null ? null : error.slice(0, maxErrorLength),
  }
}

export function resultOf(check: Check, { runLocation, slotAt, startedAt, attempts }: RunInfo, measured: Measured<Metrics>): Result {
  return {
    id: slotAt === undefined ? derivedId(refOf(check), runLocation, startedAt) : slotId(refOf(check), runLocation, slotAt),
    startedAt,
    runLocation,
    ...evaluateRun(check, measured),
    attempts,
    state: null,
    values: { ...present(measured.metrics), ...present(measured.fields ?? {}) },
    pages: (measured.pages ?? []).map(pageOf),
  }
}

const maxErrorLength = 1000

type Values = Readonly<Record<string, number | null>>

function tookMs({ duration }: CheckType, measured: Measured<Metrics>): number | null {
  return duration === null ? null : ((measured.metrics as Values)[duration] ?? null)
}

function isOver(value: number | null, limit: number | null): boolean {
  return value !== null && limit !== null && value > limit
}

function tooSlow({ checkType, maxResponseTimeMs }: Check, took: number | null): string {
  const label = checkType.duration === null ? undefined : checkType.metrics[checkType.duration]?.label
  return `${label ?? 'Response time'} ${wholeMs(took)} ms, at most ${wholeMs(maxResponseTimeMs)} ms allowed`
}

function wholeMs(value: number | null): string {
  return Math.ceil(value ?? 0).toLocaleString('en-US')
}

function pageOf({ pageUrl, ...values }: { readonly pageUrl: string }): PageResult {
  return { pageUrl, values: present(values) }
}

function present(values: Values): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(values).filter((entry): entry is [string, number] => Number.isFinite(entry[1])))
}
