import { onTestFinished, TestRunner } from 'vitest'

type CleanUp = () => unknown

const afterFile: CleanUp[] = []

/**
 * Runs a cleanup after the test. Outside of a test, as in `beforeAll`, and in concurrent tests, it runs after the last test of the file,
 * because vitest cannot tell which concurrent test calls.
 */
export function atEnd(cleanUp: CleanUp): void {
  const test = TestRunner.getCurrentTest()
  if (test && !test.concurrent) onTestFinished(async () => void (await cleanUp()))
  else afterFile.push(cleanUp)
}

/** `setup.ts` calls this after each file. */
export async function cleanUpAfterFile(): Promise<void> {
  for (const cleanUp of afterFile.splice(0).reverse()) await cleanUp()
}
