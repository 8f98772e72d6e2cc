// @slow
import { describe, expect, test } from 'vitest'
import { exampleCheck } from '../../../test/support/example-config.ts'
import type { Check } from '../../catalogue/catalogue.ts'
import { parseConfig } from '../../catalogue/config-file/parse.ts'
import type { CheckType } from '../../checks/define.ts'
import { runLocationsOf } from '../../checks/probe/pings.ts'
import { checkTypes } from '../../checks/registry.ts'
import { dayMs } from '../../time.ts'
import { expectedResults, inventResults } from './invent.ts'

const end = Date.parse('2026-11-14T10:00:00Z')
const month = { from: end - 30 * dayMs, to: end }

function checkOf(checkType: CheckType): Check {
  const ofRuns = { frequency: '15m', locations: ['a', 'b'], retry: { strategy: 'fixed', maxRetries: 2 } }
  const entry = { ...exampleCheck(checkType), ...(checkType.pingSettings ? {} : ofRuns) }
  const parsed = parseConfig(JSON.stringify({ accounts: [{ id: 'demo', checks: [entry] }] }), {})
  if ('faults' in parsed || !parsed.config.checks[0]) throw new Error('the example has a fault')
  return { ...parsed.config.checks[0], agentLocations: [], createdAt: 0, updatedAt: 0 }
}

const namesIn = (all: readonly object[]) => [...new Set(all.flatMap(Object.keys))]
const allOf = (check: Check, window = month) => runLocationsOf(check).flatMap((place) => [...inventResults(check, place, window, end)])

describe.each(checkTypes)('generated results of a $type check', (checkType) => {
  const check = checkOf(checkType)
  const results = allOf(check)

  test('are one per period and location, within the window, with unique ids', () => {
    expect(results.length).toBeGreaterThanOrEqual(runLocationsOf(check).length * expectedResults(check, month))
    expect(new Set(results.map(({ id }) => id)).size).toBe(results.length)
    expect(results.filter(({ startedAt }) => startedAt > month.to || startedAt <= month.from - 1000)).toEqual([])
  })

  test('are deterministic, also in parts', () => {
    const middle = end - 3.3 * dayMs
    const parts = runLocationsOf(check).flatMap((place) => [
      ...inventResults(check, place, { from: month.from, to: middle - 1 }, end),
      ...inventResults(check, place, { from: middle, to: month.to }, end),
    ])
    expect(parts).toEqual(results)
  })

  test('have failures with a reason, and only metrics and fields of the type', () => {
    const failures = results.filter(({ hasFailures }) => hasFailures)
    expect(failures.length).toBeGreaterThan(0)
    expect(failures.length).toBeLessThan(results.length / 50)
    expect(failures.filter(({ error }) => !error)).toEqual([])
    const ofRuns = [...Object.keys(checkType.metrics), ...checkType.fields]
    const ofPages = Object.keys(checkType.metrics).filter((name) => checkType.metrics[name]?.perPage)
    expect(namesIn(results.map(({ values }) => values)).filter((name) => !ofRuns.includes(name))).toEqual([])
    expect(namesIn(results.flatMap(({ pages }) => pages.map(({ values }) => values))).sort()).toEqual(ofPages.sort())
  })

  test('have a state if the type has states', () => {
    const hasStates = Object.keys(checkType.states).length > 0
    const wrong = results.filter(({ state, hasFailures }) =>
      hasStates ? checkType.states[state ?? ''] !== (hasFailures ? 'failure' : 'success') : state !== null,
    )
    expect(wrong).toEqual([])
  })

  test('have occasional retries if the check has', () => {
    expect(results.some(({ attempts }) => attempts > 1)).toBe(check.retry !== null)
  })
})
