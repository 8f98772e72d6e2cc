import { Type } from 'typebox'
import type { Catalogue, Check } from '../../src/catalogue/catalogue.ts'
import { type CheckType, defineCheckType, milliseconds, runLocation } from '../../src/checks/define.ts'
import type { Measured, RunContext } from '../../src/checks/probe/run.ts'

const metrics = { took: milliseconds('Time taken') }
export type Taken = Measured<typeof metrics>

/** A check type that does what the test says. */
export function checkTypeOf(run: (context: RunContext, settings: { name?: string }) => Promise<Taken>, heavy = false): CheckType {
  return defineCheckType({
    type: 'TEST',
    path: 'test-checks',
    label: 'Test check',
    metrics,
    duration: 'took',
    groupBy: [runLocation],
    settings: Type.Object({ name: Type.Optional(Type.String()) }),
    target: () => ({}),
    run: async () => ({ run: (settings, context) => run(context, settings) }),
    demo: { name: 'Test', tags: [], settings: () => ({}), files: {}, run: () => passed },
    ...(heavy && { heavy }),
  })
}

export const passed: Taken = { metrics: { took: 12.5 }, failure: null, broken: false }
export const failed: Taken = { metrics: { took: 12.5 }, failure: 'status 503, expected 200', broken: false }
export const unreachable: Taken = { metrics: { took: null }, failure: 'connection refused', broken: true }

export function checkOf(id: string, checkType: CheckType, more: Partial<Check> = {}): Check {
  return {
    id,
    account: 'acme',
    name: id,
    checkType,
    activated: true,
    muted: false,
    everyMs: 10_000,
    locations: ['default'],
    tags: [],
    runParallel: false,
    retry: null,
    degradedResponseTimeMs: null,
    maxResponseTimeMs: null,
    settings: {},
    createdAt: 0,
    updatedAt: 0,
    ...more,
  }
}

/** A catalogue of these checks; what `checks` holds may change. */
export function catalogueOf(checks: Check[]): Pick<Catalogue, 'allChecks' | 'service'> {
  return {
    allChecks: () => checks,
    service: () => ({
      retentionDays: 400,
      rateLimit: { requests: 3000, perMs: 60_000 },
      accountHeaders: [],
      addresses: { allow: [], deny: [] },
    }),
  }
}
