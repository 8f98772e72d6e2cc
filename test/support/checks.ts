import type { Check } from '../../src/catalogue/catalogue.ts'
import { type CheckType, defineCheckType } from '../../src/checks/define.ts'
import { milliseconds, runLocation } from '../../src/checks/metric.ts'
import { judgeInline } from '../../src/checks/probe/judge/judge.ts'
import { inlineProbe } from '../../src/checks/probe/probe.ts'
import type { Measured, RunContext } from '../../src/checks/probe/run.ts'
import { Type } from '../../src/schema/typebox.ts'
import { testCheck } from './catalogue.ts'

const metrics = { took: milliseconds('Time taken') }
export type Taken = Measured<typeof metrics>

/** Runs checks in the thread of the test. */
export const testProbe = inlineProbe({ judge: judgeInline, configDir: '/', chromium: null, env: {} })

/** A check type whose runs are defined by the test. */
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

/** A check type that expects a ping every hour, with ten minutes of grace. */
export const pingedType = defineCheckType({
  type: 'TEST',
  path: 'test-checks',
  label: 'Test check',
  metrics: {},
  duration: null,
  groupBy: [],
  states: { FAILING: 'failure', RECEIVED: 'success' },
  settings: Type.Object({}),
  target: () => ({}),
  pingSettings: () => ({ periodMs: 3_600_000, graceMs: 600_000, tokenHash: '' }),
  demo: { name: 'Test', tags: [], settings: () => ({}), files: {}, run: () => ({ metrics: {}, failure: null, broken: false }) },
})

export const passed: Taken = { metrics: { took: 12.5 }, failure: null, broken: false }
export const failed: Taken = { metrics: { took: 12.5 }, failure: 'status 503, expected 200', broken: false }
export const unreachable: Taken = { metrics: { took: null }, failure: 'connection refused', broken: true }

/** A check with this id, every ten seconds at one location. */
export function checkOf(id: string, checkType: CheckType, more: Partial<Check> = {}): Check {
  return testCheck(checkType, { id, name: id, everyMs: 10_000, locations: ['default'], ...more })
}
