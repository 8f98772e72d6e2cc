import { resolve } from 'node:path'
import type { test as playwrightTest } from '@playwright/test'
import type { Static } from '../../schema/typebox.ts'
import { runPlaywright } from '../probe/playwright/run.ts'
import { annotationsOf, annotationType, total } from '../probe/playwright/script-annotation.ts'
import { writeScript } from '../probe/playwright/script-files.ts'
import type { RunFunction } from '../probe/run.ts'
import type { MultistepSettings, metrics } from './shape.ts'

export const run: RunFunction<Static<typeof MultistepSettings>, typeof metrics> = async ({ script, environment = {} }, context) => {
  const file = resolve(context.configDir, script)
  const extend = `(test) => (${timeSteps})(test, ${JSON.stringify(annotationType)})`
  const { report, failure, broken, assertions, notes, steps } = await runPlaywright(
    { browser: 'none', variables: environment, prepare: (workspace) => writeScript({ test: { file }, extend }, workspace) },
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
