import { describe, expect, test } from 'vitest'
import { checkOf, checkTypeOf, failed, passed, unreachable } from '../../test/support/checks.ts'
import { derivedId } from '../store/derived-id.ts'
import { slotId } from '../store/slot-id.ts'
import { evaluateRun, resultOf } from './evaluate.ts'

const checkType = checkTypeOf(async () => passed)
const limited = checkOf('limited', checkType, { degradedResponseTimeMs: 100, maxResponseTimeMs: 5000 })
const taking = (took: number) => ({ ...passed, metrics: { took } })

describe('a run that took', () => {
  test.each([
    ['no longer than is fine', 100, { hasFailures: false, isDegraded: false, overMaxResponseTime: false, error: null }],
    ['longer than is fine is degraded', 100.001, { hasFailures: false, isDegraded: true, overMaxResponseTime: false, error: null }],
    ['as long as is allowed is degraded', 5000, { hasFailures: false, isDegraded: true, overMaxResponseTime: false, error: null }],
    [
      'longer than is allowed fails, and is not degraded beside',
      5000.2,
      { hasFailures: true, isDegraded: false, overMaxResponseTime: true, error: 'Time taken 5,001 ms, at most 5,000 ms allowed' },
    ],
  ])('%s', (_, took, verdict) => {
    expect(evaluateRun(limited, taking(took))).toMatchObject(verdict)
  })
})

test('a failure keeps its own reason, even if the run was too slow as well', () => {
  const slow = { ...failed, metrics: { took: 9000 } }
  expect(evaluateRun(limited, slow)).toMatchObject({ hasFailures: true, overMaxResponseTime: true, error: 'status 503, expected 200' })
})

test('only a run that could not be completed has errors', () => {
  expect(evaluateRun(limited, unreachable)).toMatchObject({ hasFailures: true, hasErrors: true })
  expect(evaluateRun(limited, failed)).toMatchObject({ hasFailures: true, hasErrors: false })
})

test('a run that its type marks as degraded is degraded, unless it fails', () => {
  expect(evaluateRun(limited, { ...passed, degraded: true })).toMatchObject({ hasFailures: false, isDegraded: true })
  expect(evaluateRun(limited, { ...failed, degraded: true })).toMatchObject({ hasFailures: true, isDegraded: false })
})

test('an error is truncated to the maximum length', () => {
  expect(evaluateRun(limited, { ...failed, failure: 'x'.repeat(5000) }).error).toHaveLength(1000)
})

describe('the result of a run', () => {
  const run = { runLocation: 'eu-west-1', startedAt: 1_793_872_800_123, attempts: 3 }

  test('contains measured values only', () => {
    const measured = { ...unreachable, fields: { statusCode: 503, sslDaysRemaining: null } }
    expect(resultOf(limited, run, measured)).toMatchObject({ ...run, values: { statusCode: 503 }, pages: [], state: null })
    expect(resultOf(limited, run, taking(Number.NaN)).values).toEqual({})
  })

  test('contains the visited pages, in order', () => {
    const pages = [
      { pageUrl: 'http://127.0.0.1/a', LCP: 12.5, CLS: null },
      { pageUrl: 'http://127.0.0.1/b', LCP: 0, CLS: 0.25 },
    ]
    expect(resultOf(limited, run, { ...passed, pages }).pages).toEqual([
      { pageUrl: 'http://127.0.0.1/a', values: { LCP: 12.5 } },
      { pageUrl: 'http://127.0.0.1/b', values: { LCP: 0, CLS: 0.25 } },
    ])
  })

  test('has an id derived from check, location and slot, whenever it started', () => {
    const ids = [{}, { startedAt: run.startedAt + 1 }, { attempts: 1 }].map(
      (more) => resultOf(limited, { ...run, slotAt: 1000, ...more }, passed).id,
    )
    expect(new Set(ids)).toEqual(new Set([slotId({ account: 'acme', checkId: 'limited' }, 'eu-west-1', 1000)]))
  })

  test('has an id derived from check, location and start outside of the schedule', () => {
    expect(resultOf(limited, run, passed).id).toBe(derivedId({ account: 'acme', checkId: 'limited' }, 'eu-west-1', run.startedAt))
  })
})
