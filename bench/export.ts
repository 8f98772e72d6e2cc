import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmbeddedStore, type EmbeddedStore } from '../src/store/embedded/embedded-store.ts'
import { calm } from '../test/support/results.ts'
import { createScorecard, median, rate, timed } from './measure.ts'

const results = Number(process.env.BENCH_RESULTS ?? 100_000)
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const dayMs = 86_400_000
const yesterday = (Math.floor(Date.now() / dayMs) - 1) * dayMs
const check = { account: 'bench', checkId: 'export' }
const window = { from: 0, to: Date.now() }

const resultAt = (id: string, startedAt: number) => ({
  ...calm,
  id,
  startedAt,
  runLocation: 'eu',
  values: { responseTime: 12.5 },
  pages: [],
})

const folder = mkdtempSync(join(tmpdir(), 'tidemark-bench-'))
const { reportRatio, finish } = createScorecard()
const plain = await openFilled('plain')
const late = await openFilled('late')
await late.append([{ check, result: resultAt('late', yesterday + dayMs / 2) }])

/** Alternates, so that both are measured within the same minute. */
const took: Readonly<Record<'plain' | 'late', number[]>> = { plain: [], late: [] }
for (let round = -1; round < rounds; round++) {
  const [plainMs, lateMs] = [await timed(() => exportAll(plain)), await timed(() => exportAll(late))]
  if (round < 0) continue
  took.plain.push(plainMs)
  took.late.push(lateMs)
}
const perSecond = (times: readonly number[]) => rate((results * 1000) / median(times))
const ratio = median(took.late) / median(took.plain)
reportRatio(
  `${results.toLocaleString('en')} results of a sealed day with ids of their own: ${perSecond(took.plain)}; with one late result ${perSecond(took.late)}, ${ratio.toFixed(2)} times the time (at most 1.5)`,
  { name: 'export with one late result, time without it', ratio, bar: 1.5, better: 'lower' },
)
await plain.close()
await late.close()
rmSync(folder, { recursive: true })
finish()

async function openFilled(name: string): Promise<EmbeddedStore> {
  const store = await createEmbeddedStore({ directory: join(folder, name), workers: 0 })
  for (let first = 0; first < results; first += 10_000) {
    const rows = Array.from({ length: Math.min(10_000, results - first) }, (_, i) => first + i)
    await store.append(rows.map((i) => ({ check, result: resultAt(`run number ${i}`, yesterday + Math.floor((i / results) * dayMs)) })))
  }
  await store.seal()
  return store
}

async function exportAll(store: EmbeddedStore): Promise<void> {
  let rows = 0
  for await (const page of store.scan(check, window)) rows += page.length
  if (rows < results) throw new Error(`${rows} of ${results} results were read`)
}
