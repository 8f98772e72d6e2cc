import { appendFileSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { afterAll, expect } from 'vitest'

const { TIDEMARK_TEST_COSTS: costsFile } = process.env
const ticksPerSecond = 100

/** Appends to the file TIDEMARK_TEST_COSTS what a test file takes, with its imports: see docs/testing.md. */
export function recordCosts(): void {
  if (!costsFile) return
  const [startedAt, before] = [performance.now(), usedSeconds()]
  afterAll(() => {
    const after = usedSeconds()
    const costs = {
      file: relative('.', expect.getState().testPath ?? ''),
      passedSeconds: (performance.now() - startedAt) / 1000,
      workerSeconds: after.worker - before.worker,
      childSeconds: after.children - before.children,
    }
    appendFileSync(costsFile, `${JSON.stringify(costs)}\n`)
  })
}

/** Of the processor: by this process, and by those that it started and that have ended. */
function usedSeconds(): { readonly worker: number; readonly children: number } {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? []
  const [user = 0, system = 0, userOfChildren = 0, systemOfChildren = 0] = fields
    .slice(11, 15)
    .map((ticks) => Number(ticks) / ticksPerSecond)
  return { worker: user + system, children: userOfChildren + systemOfChildren }
}
