import type { Check } from '../../catalogue/catalogue.ts'
import type { Result } from '../../store/store.ts'
import { lastInstant } from '../../time.ts'

/** A result in the format of check-results, reduced to `fields` unless that is empty. */
export function resultEntry(check: Check, result: Result, fields: readonly string[]): Readonly<Record<string, unknown>> {
  const entry = describeResult(check, result)
  return fields.length === 0 ? entry : Object.fromEntries(Object.entries(entry).filter(([name]) => fields.includes(name)))
}

function describeResult({ id: checkId, name, checkType }: Check, result: Result) {
  const { startedAt, values } = result
  const duration = checkType.duration === null ? null : (values[checkType.duration] ?? null)
  const stoppedAt = new Date(Math.min(startedAt + Math.round(duration ?? 0), lastInstant)).toISOString()
  return {
    id: result.id,
    name,
    checkId,
    hasFailures: result.hasFailures,
    hasErrors: result.hasErrors,
    isDegraded: result.isDegraded,
    overMaxResponseTime: result.overMaxResponseTime,
    runLocation: result.runLocation,
    startedAt: new Date(startedAt).toISOString(),
    stoppedAt,
    created_at: stoppedAt,
    responseTime: duration,
    attempts: result.attempts,
    checkRunId: result.id,
    resultType: 'FINAL',
    error: result.error,
    ...measured(checkType, result),
  }
}

/** Every metric and field of the type, null if this run has no value; pages and state only for types that have them. */
function measured({ metrics, fields, states }: Check['checkType'], { values, pages, state }: Result) {
  const names = Object.keys(metrics)
  const pageNames = names.filter((name) => metrics[name]?.perPage)
  const runNames = [...names.filter((name) => !metrics[name]?.perPage), ...fields]
  return {
    ...pick(runNames, values),
    ...(Object.keys(states).length > 0 && { state }),
    ...(pageNames.length > 0 && { pages: pages.map((page) => ({ pageUrl: page.pageUrl, ...pick(pageNames, page.values) })) }),
  }
}

function pick(names: readonly string[], values: Readonly<Record<string, number>>): Readonly<Record<string, number | null>> {
  return Object.fromEntries(names.map((name) => [name, values[name] ?? null]))
}
