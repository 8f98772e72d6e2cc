import type { Connection } from './connection.ts'

const oldestVersion = 24
/** The server's clock has second resolution. */
const maxDifferenceMs = 5000

/** Warns about an old server version, or a clock that differs from ours. */
export async function inspectServer(connection: Connection, clock: () => number, log: (problem: unknown) => void): Promise<void> {
  const before = clock()
  const [row = []] = await connection.rows({ sql: 'SELECT version(), toUnixTimestamp(now())' })
  const [version, seconds] = [String(row[0]), Number(row[1])]
  if (Number.parseInt(version, 10) < oldestVersion)
    log(`ClickHouse is of version ${version}. Tidemark requires version ${oldestVersion} or newer: unsupported features will fail.`)
  const differenceMs = differenceOf(1000 * seconds, before, clock())
  if (Math.abs(differenceMs) > maxDifferenceMs)
    log(
      `The clock of ClickHouse is ${Math.round(Math.abs(differenceMs) / 1000)} s ${differenceMs > 0 ? 'ahead of' : 'behind'} that of this machine. Synchronize both.`,
    )
}

/** How far an instant lies outside the exchange that reported it; negative if it lies before. */
function differenceOf(instant: number, before: number, after: number): number {
  if (instant > after) return instant - after
  return Math.min(0, instant - before)
}
