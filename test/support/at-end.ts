import { onTestFinished, TestRunner } from 'vitest'

type CleanUp = () => unknown

const afterFile: CleanUp[] = []

/**
 * Runs after the test; where none is running, as in `beforeAll`, after the last test of the file. So also where tests run side by side: vitest does not know
 * which of them calls.
 */
export function atEnd(cleanUp: CleanUp): void {
  const test = TestRunner.getCurrentTest()
  if (test && !test.concurrent) onTestFinished(async () => void (await cleanUp()))
  else afterFile.push(cleanUp)
}

/** Called after each file by `setup.ts`. */
export async function cleanUpAfterFile(): Promise<void> {
  for (const cleanUp of afterFile.splice(0).reverse()) await cleanUp()
}
