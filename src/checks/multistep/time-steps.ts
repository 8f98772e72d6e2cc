import type { test as playwrightTest } from '@playwright/test'

/** Its source is written into the process that runs the script, so it may use nothing from outside itself. */
export function timeSteps(test: typeof playwrightTest, annotationType: string) {
  return test.extend<{ tidemark: undefined }>({
    tidemark: [
      // `request` is asked for so that the clock starts when it is there.
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
