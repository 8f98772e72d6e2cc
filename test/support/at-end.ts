import { onTestFinished, TestRunner } from 'vitest'

type CleanUp = () => unknown

const afterFile: CleanUp[] = []

/** Runs after the test; where none is running, as in `beforeAll`, after the last test of the file. */
export function atEnd(cleanUp: CleanUp): void {
  if (TestRunner.getCurrentTest()) onTestFinished(async () => void (await cleanUp()))
  else afterFile.push(cleanUp)
}

/** Called after each file by `setup.ts`. */
export async function cleanUpAfterFile(): Promise<void> {
  for (const cleanUp of afterFile.splice(0).reverse()) await cleanUp()
}
