import type { test as playwrightTest } from '@playwright/test'

/** Its source is written into the process that runs the script, so it must be self-contained. */
export function timeSteps(test: typeof playwrightTest, annotationType: string) {
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
