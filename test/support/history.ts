import { checkTypes } from '../../src/checks/registry.ts'
import type { CheckRef, FiledResult } from '../../src/store/store.ts'
import { minuteMs } from '../../src/time.ts'
import { calm } from './results.ts'

const metrics = Object.entries(checkTypes[0]?.metrics ?? {}).flatMap(([name, { perPage }]) => (perPage ? [] : [name]))
const start = Date.UTC(2026, 9, 1)
const batchSize = 5000

/** Results of some checks, one a minute, in batches. Deterministic. */
export function* historyOf(results: number, checkIds: readonly string[] = ['homepage', 'shop']): Generator<readonly FiledResult[]> {
  const checks = checkIds.map((checkId): CheckRef => ({ account: 'acme', checkId }))
  for (let from = 0; from < results; from += batchSize)
    yield Array.from({ length: Math.min(batchSize, results - from) }, (_, i) => resultAt(from + i, checks))
}

function resultAt(i: number, checks: readonly CheckRef[]): FiledResult {
  const hasFailures = i % 100 === 7
  return {
    check: checks[i % checks.length] as CheckRef,
    result: {
      ...calm,
      id: i % 4 === 0 ? `run-${i}` : null,
      startedAt: start + Math.floor(i / checks.length) * minuteMs,
      runLocation: 'eu',
      hasFailures,
      error: hasFailures ? `refused after ${i} ms` : null,
      values: Object.fromEntries(metrics.map((name, k) => [name, ((i * 7919 + k * 104_729) % 90_007) / 1000])),
      pages: [],
    },
  }
}
