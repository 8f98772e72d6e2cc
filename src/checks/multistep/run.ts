import { resolve } from 'node:path'
import type { Static } from 'typebox'
import { runPlaywright } from '../probe/playwright/run.ts'
import { annotated, annotationType, total } from '../probe/playwright/script-annotation.ts'
import { writeScript } from '../probe/playwright/script-files.ts'
import type { Run } from '../probe/run.ts'
import type { MultistepSettings, metrics } from './shape.ts'
import { timeSteps } from './time-steps.ts'

export const run: Run<Static<typeof MultistepSettings>, typeof metrics> = async ({ script, environment = {} }, context) => {
  const file = resolve(context.configDir, script)
  const extend = `(test) => (${timeSteps})(test, ${JSON.stringify(annotationType)})`
  const { report, failure, broken, assertions, notes } = await runPlaywright(
    { browser: 'none', variables: environment, prepare: (workplace) => writeScript({ test: { file }, extend }, workplace) },
    context,
  )
  return { metrics: { responseTime: total(annotated(report, annotationType), 'responseTime') }, failure, broken, assertions, notes }
}
