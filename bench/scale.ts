import { cpSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { databaseFile } from '../src/store/embedded/disk/database.ts'
import { inspect } from '../src/store/embedded/disk/inspect.ts'
import { createEmbeddedStore } from '../src/store/embedded/embedded-store.ts'
import { timed } from './measure.ts'
import { multiply } from './multiply.ts'
import { measureServer } from './scale-server.ts'
import { account, checkId, days, end, fillCheck, fillScheduled, folder, checks as maxSeeds, perCheck } from './world.ts'

/** Checks that are filled by appending. All others are copies of them. */
const seeds = Math.min(10, maxSeeds)
const seedFolder = join(folder, `scale-seeds-${seeds}-${end}`)
const million = 1_000_000
/** Folders up to this size are read and verified completely. In larger folders, only figures of a copy are compared with the original's. */
const maxVerified = 11 * million

type World = { readonly results: number; readonly periods: number }
const worlds: readonly World[] = [
  ...(process.env.BENCH_MILLIONS ?? '10,100,500').split(',').map((count) => ({ results: Number(count) * million, periods: 1 })),
  { results: Number(process.env.BENCH_YEAR_MILLIONS ?? 100) * million, periods: 12 },
]

console.log(`${availableParallelism()} processors, ${loadavg()[0]?.toFixed(1)} busy in the last minute`)
mkdirSync(folder, { recursive: true })
await keepSeeds()
const scheduledFolder = join(folder, 'scale-scheduled')
console.log(`disk of a result with the id of a scheduled run: ${(await fillScheduled(scheduledFolder)).toFixed(1)} bytes`)
rmSync(scheduledFolder, { recursive: true })
for (const world of worlds.filter(({ results }) => results > 0)) await measure(world)

/** Fills the seeds unless an earlier run of the same day did. */
async function keepSeeds(): Promise<void> {
  const complete = join(seedFolder, 'complete')
  if (existsSync(complete)) return
  rmSync(seedFolder, { recursive: true, force: true })
  const store = await createEmbeddedStore({ directory: seedFolder, workers: 0 })
  for (let check = 0; check < seeds; check++) {
    await fillCheck(store, check)
    await store.seal()
  }
  await store.close()
  writeFileSync(complete, '')
}

async function measure({ results, periods }: World): Promise<void> {
  const count = Math.round(results / perCheck / periods)
  const directory = join(folder, 'scale')
  rmSync(directory, { recursive: true, force: true })
  cpSync(seedFolder, directory, { recursive: true })
  const checks = Array.from({ length: count }, (_, check) => ({ account, checkId: checkId(check) }))
  const built = await timed(async () => multiply(directory, { checks, seeds, periods, periodDays: days }))
  const stored = count * perCheck * periods
  const bytes = statSync(databaseFile(directory)).size
  console.log(
    `\n${stored.toLocaleString('en')} results: ${count.toLocaleString('en')} checks over ${periods * days} days, copied in ${(built / 1000).toFixed(0)} s`,
  )
  console.log(`  ${loadavg()[0]?.toFixed(1)} processors busy in the last minute`)
  console.log(`  disk: ${(bytes / 1e9).toFixed(2)} GB, ${(bytes / stored).toFixed(1)} bytes a result`)
  if (stored <= maxVerified) verifyFolder(directory, stored)
  await measureServer({ directory, count, seeds })
  rmSync(directory, { recursive: true })
}

/** Reads and verifies everything, like `tidemark doctor`. */
function verifyFolder(directory: string, expected: number): void {
  const { holdings, problems } = inspect(directory)
  const found = holdings.reduce((sum, { sealed }) => sum + sealed, 0)
  if (problems.length > 0 || found !== expected) throw new Error(`The folder is not as a server writes it: ${found} results, ${problems}`)
  console.log('  every result was read and verified')
}
