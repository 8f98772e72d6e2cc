import type { test as playwrightTest } from '@playwright/test'
import type { Static } from '../../schema/typebox.ts'
import { runPlaywright } from '../probe/playwright/run.ts'
import { annotationsOf, annotationType, total } from '../probe/playwright/script-annotation.ts'
import { scriptTest, writeScript } from '../probe/playwright/script-files.ts'
import type { RunFunction } from '../probe/run.ts'
import type { MultistepSettings, metrics } from './shape.ts'

export const run: RunFunction<Static<typeof MultistepSettings>, typeof metrics> = async (settings, context) => {
  const { environment = {} } = settings
  const test = scriptTest(settings, context.configDir)
  if (test === null) return { metrics: { responseTime: null }, failure: 'the check has no script', broken: true }
  const extend = `(test) => (${timeSteps})(test, ${JSON.stringify(annotationType)})`
  const { report, failure, broken, assertions, notes, steps } = await runPlaywright(
    { browser: 'none', variables: environment, prepare: (workspace) => writeScript({ test, extend }, workspace) },
    context,
  )
  return {
    metrics: { responseTime: total(annotationsOf(report, annotationType), 'responseTime') },
    failure,
    broken,
    assertions,
    notes,
    steps,
  }
}

/** Its source is written into the process that runs the script, so it must be self-contained. */
function timeSteps(test: typeof playwrightTest, annotationType: string) {
  return test.extend<{ tidemark: undefined }>({
    tidemark: [
      // Depends on `request` so that timing starts when it exists.
      async ({ request: _ }, use, testInfo) => {
        const startedAt = performance.now()
        await use(undefined)
        const responseTime = performance.now() - startedAt
        testInfo.annotations.push({ type: annotationType, description: JSON.stringify({ responseTime }) })
      },
      { auto: true, timeout: 15_000 },
    ],
  })
}
