import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { afterAll, expect } from 'vitest'

const { TIDEMARK_TEST_COSTS: costsFile } = process.env
const ticksPerSecond = 100

/** Appends the resources used by a test file, including imports, to the file TIDEMARK_TEST_COSTS: see docs/testing.md. */
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

/** Processor time of this process and of all its descendants. Some descendants have ended; others, such as a browser, outlive the file. */
function usedSeconds(): { readonly worker: number; readonly children: number } {
  const all = new Map(readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? statOf(name) : [])))
  const isBelow = (pid: number | undefined): boolean => pid !== undefined && (pid === process.pid || isBelow(all.get(pid)?.parent))
  const own = all.get(process.pid)
  const living = [...all.values()].filter(({ parent }) => isBelow(parent))
  const children = living.reduce((sum, { seconds, secondsOfEnded }) => sum + seconds + secondsOfEnded, own?.secondsOfEnded ?? 0)
  return { worker: own?.seconds ?? 0, children }
}

type Used = { readonly parent: number; readonly seconds: number; readonly secondsOfEnded: number }

function statOf(pid: string): readonly (readonly [number, Used])[] {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ').map(Number) ?? []
    const [user = 0, system = 0, userOfEnded = 0, systemOfEnded = 0] = fields.slice(11, 15).map((ticks) => ticks / ticksPerSecond)
    return [[Number(pid), { parent: fields[1] ?? 0, seconds: user + system, secondsOfEnded: userOfEnded + systemOfEnded }]]
  } catch {
    return []
  }
}
