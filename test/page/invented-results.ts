import type { CheckType } from '../../src/checks/define.ts'
import type { Check } from '../../src/catalogue/catalogue.ts'
import type { FiledResult, Result } from '../../src/store/store.ts'

const hourMs = 3_600_000

type Course = { readonly from: number; readonly to: number; readonly everyMs: number }

/** Results of a check over a time: a daily rhythm, an incident of two hours, now and then a slow run. */
export function inventResults(check: Check, { from, to, everyMs }: Course): FiledResult[] {
  const filed: FiledResult[] = []
  for (let startedAt = from; startedAt <= to; startedAt += everyMs) {
    check.locations.forEach((runLocation, place) => {
      const result = invent(check.checkType, { startedAt: startedAt + place * 700, runLocation, place, ageMs: to - startedAt })
      filed.push({ check: { account: check.account, checkId: check.id }, result })
    })
  }
  return filed
}

type Circumstances = { readonly startedAt: number; readonly runLocation: string; readonly place: number; readonly ageMs: number }

function invent(checkType: CheckType, { startedAt, runLocation, place, ageMs }: Circumstances): Result {
  const chance = noise(startedAt + place)
  const incident = ageMs > 5 * hourMs && ageMs < 7 * hourMs
  const hasFailures = incident ? chance < 0.6 : chance < 0.004
  const isDegraded = !hasFailures && chance > 0.985
  const tide = 1 + 0.3 * Math.sin((startedAt / (24 * hourMs)) * 2 * Math.PI) + 0.25 * place + (isDegraded ? 4 : 0) + 0.5 * noise(startedAt * 3)
  return {
    id: `${runLocation}-${startedAt}`,
    startedAt,
    runLocation,
    hasFailures,
    hasErrors: false,
    isDegraded,
    overMaxResponseTime: false,
    attempts: hasFailures ? 3 : chance > 0.97 ? 2 : 1,
    state: stateOf(checkType, hasFailures),
    error: hasFailures ? 'Expected status code 200, got 503 (Service Unavailable).' : null,
    values: hasFailures ? failedFields(checkType) : { ...measured(checkType, tide, false), ...fields(checkType, 200) },
    pages: hasFailures ? [] : pagesOf(checkType, tide),
  }
}

function stateOf({ states }: CheckType, failed: boolean): string | null {
  return Object.entries(states).find(([, outcome]) => (outcome === 'failure') === failed)?.[0] ?? null
}

function failedFields(checkType: CheckType): Record<string, number> {
  const shares = Object.entries(checkType.metrics).filter(([, { unit }]) => unit === 'percentage')
  return { ...fields(checkType, 503), ...Object.fromEntries(shares.map(([name]) => [name, 100])) }
}

function fields({ fields }: CheckType, value: number): Record<string, number> {
  return Object.fromEntries(fields.map((name) => [name, value]))
}

function pagesOf(checkType: CheckType, tide: number): Result['pages'] {
  if (!Object.values(checkType.metrics).some(({ perPage }) => perPage)) return []
  return ['https://shop.example/', 'https://shop.example/cart'].map((pageUrl, index) => ({
    pageUrl,
    values: measured(checkType, tide * (1 + 0.6 * index), true),
  }))
}

/** Phases get their parts, and the duration what these sum up to. */
function measured({ metrics, phases, duration }: CheckType, tide: number, ofPages: boolean): Record<string, number> {
  const names = Object.keys(metrics).filter((name) => (metrics[name]?.perPage ?? false) === ofPages)
  const values: Record<string, number> = Object.fromEntries(
    names.map((name, index) => [name, inventValue(metrics[name]?.unit ?? 'count', tide, index)]),
  )
  if (phases.length > 0 && duration !== null) values[duration] = phases.reduce((sum, name) => sum + (values[name] ?? 0), 0)
  return values
}

function inventValue(unit: string, tide: number, index: number): number {
  if (unit === 'milliseconds') return Math.round(tide * (40 + 55 * index) * 1000) / 1000
  if (unit === 'percentage') return tide > 2.2 ? 10 : 0
  if (unit === 'score') return Math.round(tide * 60) / 1000
  return tide > 3 ? 2 : 0
}

/** The same number between 0 and 1 for the same instant, and another for the next. */
function noise(seed: number): number {
  const mixed = Math.sin(seed * 12.9898 + 78.233) * 43758.5453
  return mixed - Math.floor(mixed)
}
