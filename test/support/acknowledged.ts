import { expect } from 'vitest'
import { checkTypes } from '../../src/checks/registry.ts'
import { tidemark } from './command.ts'
import type { ServerProcess } from './server-process.ts'

const [first, second] = checkTypes
if (!first || !second) throw new Error('there are too few check types')
const checkIds = [first.path, second.path]

/** The last hours, so that some results are sealed while others arrive. */
const start = Date.now() - 6 * 3_600_000

/** Posts rows as fast as possible, and records which ids were sent and which were acknowledged. */
export function writersLog() {
  const acknowledged = new Set<string>()
  const sent = new Set<string>()
  let serial = 0

  const nextRows = (count: number) =>
    Array.from({ length: count }, () => {
      const number = serial++
      return {
        id: `r${number}`,
        checkId: checkIds[number % 2],
        startedAt: start + ((number * 7919) % 20_000_000),
        runLocation: `location-${number % 3}`,
        hasFailures: false,
      }
    })

  /** Posts until the server is gone or rejects a request. */
  const write = async (server: ServerProcess, size: number): Promise<Error> => {
    for (;;) {
      const rows = nextRows(size)
      for (const { id } of rows) sent.add(id)
      try {
        await server.post(rows)
      } catch (problem) {
        return problem as Error
      }
      for (const { id } of rows) acknowledged.add(id)
    }
  }

  /** Every acknowledged id is stored exactly once, and no id is stored that was not sent. */
  const verify = async (folder: string) => {
    const found: string[] = []
    for (const checkId of checkIds) {
      const { stdout, exitCode } = await tidemark(folder, 'export', '--check', checkId)
      expect(exitCode).toBe(0)
      for (const line of stdout.split('\n')) if (line) found.push(JSON.parse(line).id)
    }
    const kept = new Set(found)
    expect({
      lost: [...acknowledged].filter((id) => !kept.has(id)),
      doubled: found.length - kept.size,
      invented: found.filter((id) => !sent.has(id)),
    }).toEqual({ lost: [], doubled: 0, invented: [] })
    return { acknowledged: acknowledged.size, kept: kept.size }
  }

  return { write, verify, acknowledged }
}
