import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Mutant, mutantsIn, mutatedFolders, sourcesIn } from './mutants.ts'
import { sample } from './sample.ts'
import { createSandbox, type Sandbox, testsReaching } from './sandbox.ts'
import { type Outcome, openSession, rehearse, type Verdict } from './session.ts'

const leastPercent = 85
/** Its tests need ClickHouse and take minutes: mutated only on request. */
const clickHouse = 'src/store/clickhouse'

type Judged = { readonly mutant: Mutant; readonly verdict: Verdict }

/** Runs mutation tests as the arguments say and returns the exit status: 1 below the minimum score. */
export async function main(root: string, args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      all: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      sample: { type: 'string', default: '300' },
      least: { type: 'string', default: '10' },
      seed: { type: 'string', default: '1' },
      tests: { type: 'string', multiple: true, default: [] },
      budget: { type: 'string', default: '120' },
      verbose: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
    },
  })
  const isNamed = values.only.some((place) => place.startsWith(clickHouse))
  const every = allMutants(root).filter(
    (mutant) =>
      (isNamed || !mutant.file.startsWith(`${clickHouse}/`)) &&
      (values.only.length === 0 || values.only.some((place) => liesIn(mutant, place))),
  )
  const mutants = sample(every, ({ file }) => folderOf(file), {
    size: values.all ? every.length : Number(values.sample),
    seed: Number(values.seed),
    leastOfGroup: Number(values.least),
  })
  console.log(`${mutants.length} of ${every.length} mutants, seed ${values.seed}.`)
  if (values.list) {
    for (const mutant of mutants) console.log(describe(mutant))
    return 0
  }
  const sandbox = createSandbox(root, mutants)
  const stop = () => {
    sandbox.remove()
    process.exit(130)
  }
  process.once('SIGINT', stop).once('SIGTERM', stop)
  try {
    const { tests, budget, verbose } = values
    return report(await judgeAll(sandbox, mutants, { tests, budgetMs: 1000 * Number(budget), verbose }), every)
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
    sandbox.remove()
  }
}

type Options = { readonly tests: readonly string[]; readonly budgetMs: number; readonly verbose: boolean }

async function judgeAll(
  sandbox: Sandbox,
  mutants: readonly Mutant[],
  { tests: only, budgetMs, verbose }: Options,
): Promise<readonly Judged[]> {
  const reaching = testsReaching(sandbox.folder, new Set(mutants.map(({ file }) => file))).filter(
    ({ path }) => only.length === 0 || only.some((prefix) => path.startsWith(prefix)),
  )
  console.log(`${reaching.length} test files run the mutated code; running them without a mutant first.`)
  const importsOf = new Map(reaching.map(({ path, imports }) => [join(sandbox.folder, path), imports]))
  const importedBy = (path: string) => mutants.filter(({ file }) => importsOf.get(path)?.has(file)).map(({ id }) => id)
  const { tests, failed } = await rehearse(
    sandbox,
    reaching.map(({ path }) => path),
    { importedBy, outside: new Set(mutants.filter(({ isOutside }) => isOutside).map(({ id }) => id)) },
  )
  for (const failure of failed) console.log(`Left out, since it fails without a mutant: ${failure}`)
  console.log(`${tests.length} passed.`)
  const session = await openSession(sandbox, tests, budgetMs)
  const judged: Judged[] = []
  try {
    for (const mutant of mutants) {
      const verdict = await session.judge(mutant)
      judged.push({ mutant, verdict })
      if (verbose || !isKill(verdict))
        console.log(`${verdict.outcome}: ${describe(mutant)}${verbose && verdict.by ? ` by ${verdict.by}` : ''}`)
      if (judged.length % 20 === 0) console.log(`… ${judged.length} of ${mutants.length}`)
    }
  } finally {
    await session.close()
  }
  return judged
}

function report(judged: readonly Judged[], every: readonly Mutant[]): number {
  const line = (name: string, part: readonly Judged[], percent: number) => {
    const count = (outcome: Outcome) => part.filter(({ verdict }) => verdict.outcome === outcome).length
    const counts = (['killed', 'timed out', 'survived', 'not reached'] as const).map((outcome) => `${count(outcome)} ${outcome}`)
    return `${name.padEnd(14)} ${percent.toFixed(1).padStart(5)} %  ${counts.join(', ')}`
  }
  const inFolder = <Item>(items: readonly Item[], fileOf: (item: Item) => string, folder: string) =>
    items.filter((item) => folderOf(fileOf(item)) === folder)
  console.log('')
  let killedOfAll = 0
  for (const folder of mutatedFolders) {
    const part = inFolder(judged, ({ mutant }) => mutant.file, folder)
    if (part.length === 0) continue
    killedOfAll += percentKilled(part) * inFolder(every, ({ file }) => file, folder).length
    console.log(line(folder, part, percentKilled(part)))
  }
  const percent = killedOfAll / every.length
  console.log(line('all', judged, percent))
  if (percent >= leastPercent) return 0
  console.log(`Under ${leastPercent} %.`)
  return 1
}

function percentKilled(judged: readonly Judged[]): number {
  const killed = judged.filter(({ verdict }) => isKill(verdict)).length
  return (100 * killed) / judged.length
}

function isKill({ outcome }: Verdict): boolean {
  return outcome === 'killed' || outcome === 'timed out'
}

function allMutants(root: string): readonly Mutant[] {
  return sourcesIn(root, mutatedFolders)
    .flatMap((file) => mutantsIn(file, readFileSync(join(root, file), 'utf8')))
    .map((mutant, id) => ({ ...mutant, id }))
}

/** Whether a mutant is in a folder, a file, or one line of a file: `src/store`, `src/runner/outbox.ts:56`. */
function liesIn({ file, line }: Mutant, place: string): boolean {
  return `${file}:${line}` === place || file === place || file.startsWith(`${place.replace(/\/$/, '')}/`)
}

function folderOf(file: string): string {
  return file.split('/').slice(0, 2).join('/')
}

function describe({ file, line, operator, original, replacement }: Mutant): string {
  return `${file}:${line} [${operator}] ${short(original)} → ${replacement === '' ? '(removed)' : short(replacement)}`
}

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  return line.length > 90 ? `${line.slice(0, 87)}…` : line
}
