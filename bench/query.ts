import { allFigures, type CheckQuestion, checkQuestions, sixFigures } from './check-questions.ts'
import { livenessBeside } from './liveness.ts'
import { createScorecard, median, ms, timed } from './measure.ts'
import { pagesOfOneInstant } from './one-instant.ts'
import { peakMemoryMb } from './server.ts'
import { openWorld } from './setup.ts'
import { bigCheck, checks } from './world.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 100)
/** Lets the JIT compile the server; DuckDB is precompiled. */
const warmUpMs = 8000
/** Consecutive queries per side: both are measured warm and within the same minute. */
const queriesPerTurn = 20

const { duckdb, server, url, client, bytesPerResult, close } = await openWorld()
const { report, reportRatio, finish } = createScorecard()

console.log('Tidemark over HTTP: the first question of each check, then asked again; DuckDB in process; medians.')
console.log(
  `\n${'question'.padEnd(30)}${'first'.padStart(14)}${'again'.padStart(14)}${'DuckDB'.padStart(14)}${'ratio'.padStart(8)}${'bar'.padStart(7)}`,
)
for (const question of checkQuestions) await compare(question)
await scaling()
await liveness()
await oneInstant()
report(`disk: ${bytesPerResult.toFixed(1)} bytes a result (at most 32)`, bytesPerResult <= 32)
const memoryMb = peakMemoryMb(server)
report(`memory: ${memoryMb.toFixed(0)} MB at its peak (under 400)`, memoryMb < 400)

await close()
finish()

async function compare({ name, path, sql, bar, barMs = Number.POSITIVE_INFINITY }: CheckQuestion): Promise<void> {
  const prepared = await duckdb.prepare(sql)
  const queryUs = (check: number) => timed(() => client.get(path(check)))
  const queryThem = (check: number) =>
    timed(async () => {
      prepared.bindInteger(1, check)
      return (await prepared.runAndReadAll()).getRows()
    })
  const first = await each(
    Array.from({ length: checks }, (_, check) => check),
    queryUs,
  )
  const until = performance.now() + warmUpMs
  for (let round = 0; performance.now() < until; round++) await queryUs(round % checks)
  await each([...Array(10).keys()], queryThem)
  const ours: number[] = []
  const theirs: number[] = []
  for (let round = 0; round < rounds; round += queriesPerTurn) {
    const sample = Array.from({ length: queriesPerTurn }, (_, i) => ((round + i) * 7) % checks)
    ours.push(...(await each(sample, queryUs)))
    theirs.push(...(await each(sample, queryThem)))
  }
  const ratio = median(ours) / median(theirs)
  const times = [first, ours, theirs].map((all) => ms(median(all)).padStart(14)).join('')
  reportRatio(`${name.padEnd(30)}${times}${ratio.toFixed(2).padStart(8)}${String(bar).padStart(7)}`, {
    name: `${name}, time of DuckDB`,
    ratio,
    bar,
    better: 'lower',
  })
  if (barMs < Number.POSITIVE_INFINITY) report(`${name}: ${ms(median(ours))}, wanted at most ${ms(barMs)}`, median(ours) <= barMs)
}

async function each(sample: readonly number[], query: (check: number) => Promise<number>): Promise<number[]> {
  const took: number[] = []
  for (const check of sample) took.push(await query(check))
  return took
}

/** Ten times the rows of a check may take at most eleven times as long. */
async function scaling(): Promise<void> {
  const small: number[] = []
  const big: number[] = []
  for (let round = -3; round < Math.ceil(rounds / 2); round++) {
    const tookSmall = await timed(() => client.get(sixFigures(Math.max(0, round) % checks)))
    const tookBig = await timed(() => client.get(sixFigures(bigCheck)))
    if (round >= 0) {
      small.push(tookSmall)
      big.push(tookBig)
    }
  }
  const ratio = median(big) / median(small)
  report(`ten times the rows: ${ratio.toFixed(1)} times the time (at most 11)`, ratio <= 11)
}

async function liveness(): Promise<void> {
  let asked = 0
  const p99 = await livenessBeside(url, () => client.get(allFigures(asked++ % checks)))
  report(`/health/live during 30-day questions: p99 ${ms(p99)} (under 20 ms)`, p99 < 20)
}

/** The position of a result within one instant must not affect the cost of its page. */
async function oneInstant(): Promise<void> {
  const took = await pagesOfOneInstant()
  const times = Object.entries(took).map(([name, time]) => `${name} ${ms(time)}`)
  const ratio = (took['large-instant'] as number) / (took['large-day'] as number)
  report(`a page of results: ${times.join(', ')}; one instant ${ratio.toFixed(2)} of a day (at most 1.5)`, ratio <= 1.5)
}
