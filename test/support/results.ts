import { type Check, refOf } from '../../src/catalogue/catalogue.ts'
import { derivedId } from '../../src/store/derived-id.ts'
import type { CheckRef, Result } from '../../src/store/store.ts'

export type TestResult = { readonly check: CheckRef; readonly result: Result }

/** The flags of a passing run. */
export const calm = {
  hasFailures: false,
  hasErrors: false,
  isDegraded: false,
  overMaxResponseTime: false,
  attempts: 1,
  state: null,
  error: null,
} as const

/** A passing run of a check with all values measured, unless `more` overrides it. */
export function testResult(check: Check, startedAt: number, more: Partial<Result> = {}): TestResult {
  const runLocation = more.runLocation ?? check.locations[0] ?? 'default'
  const ref = refOf(check)
  return {
    check: ref,
    result: {
      id: derivedId(ref, runLocation, startedAt),
      startedAt,
      runLocation,
      ...calm,
      values: measured(check, startedAt),
      pages: pages(check, startedAt),
      ...more,
    },
  }
}

/** Values for all metrics of a run: uneven, deterministic by instant, and different for each metric. */
export function measured({ checkType: { metrics } }: Check, startedAt: number): Readonly<Record<string, number>> {
  const names = Object.keys(metrics).filter((name) => !metrics[name]?.perPage)
  return Object.fromEntries(names.map((name, index) => [name, uneven(startedAt, index)]))
}

function pages({ checkType: { metrics } }: Check, startedAt: number): Result['pages'] {
  const names = Object.keys(metrics).filter((name) => metrics[name]?.perPage)
  if (names.length === 0) return []
  return ['https://example.test/', 'https://example.test/basket'].map((pageUrl, page) => ({
    pageUrl,
    values: Object.fromEntries(names.map((name, index) => [name, uneven(startedAt + page, index + 10)])),
  }))
}

function uneven(startedAt: number, index: number): number {
  const minute = Math.floor(startedAt / 1000)
  return ((minute * 7919 + index * 104_729 + (startedAt % 1000) * 31) % 90_007) / 1000 + index
}
