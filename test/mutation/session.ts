import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createVitest, type TestModule, type TestRunResult, type Vitest } from 'vitest/node'
import type { Mutant } from './mutants.ts'
import type { Sandbox } from './sandbox.ts'
import type { Assignment } from './setup.ts'

/** A test file without mutants: how long it takes, and which mutants it reaches. */
export type TestFile = { readonly path: string; readonly durationMs: number; readonly reached: ReadonlySet<number> }
export type Outcome = 'killed' | 'timed out' | 'survived' | 'not reached'
/** `by` names the test that fails with the mutant, and how. */
export type Verdict = { readonly outcome: Outcome; readonly by: string }

type Mutants = {
  /** Those in the imports of a test file. */
  readonly importedBy: (path: string) => readonly Mutant['id'][]
  /** Those that run while a module is loaded, whichever test loads it first: they count for all tests that import it. */
  readonly outside: ReadonlySet<Mutant['id']>
}

/** Runs each test file once without a mutant. A file that fails then cannot judge any, and is left out. */
export async function rehearse(
  sandbox: Sandbox,
  paths: readonly string[],
  { importedBy, outside }: Mutants,
): Promise<{ tests: readonly TestFile[]; failed: readonly string[] }> {
  const vitest = await start(sandbox, 0)
  try {
    const modules = await run(
      vitest,
      paths.map((path) => join(sandbox.folder, path)),
      { recordIn: sandbox.recordings },
    )
    const recorded = readRecordings(sandbox.recordings)
    const whileLoading = new Set(
      [...recorded.values()].flatMap(({ loaded, reached }) => [...loaded, ...reached.filter((mutant) => outside.has(mutant))]),
    )
    const passed = modules.testModules.filter((module) => module.ok())
    const tests = passed.map((module) => ({
      path: module.moduleId,
      durationMs: durationOf(module),
      reached: new Set([
        ...(recorded.get(module.moduleId)?.reached ?? []),
        ...importedBy(module.moduleId).filter((mutant) => whileLoading.has(mutant)),
      ]),
    }))
    const failed = modules.testModules.filter((module) => !module.ok()).map((module) => failureIn(module))
    return { tests, failed }
  } finally {
    await vitest.close()
  }
}

export type Session = { judge(mutant: Mutant): Promise<Verdict>; close(): Promise<void> }

/**
 * Runs one mutant after another in one vitest, each against the test files that reach it: those next to it, and as many others as fit
 * into `budgetMs`. A lost test process is retried once.
 */
export async function openSession(sandbox: Sandbox, tests: readonly TestFile[], budgetMs: number): Promise<Session> {
  const vitest = await start(sandbox, 1)
  return {
    async judge({ id: mutant, file }) {
      const all = tests.filter(({ reached }) => reached.has(mutant))
      const folder = dirname(join(sandbox.folder, file))
      const reaching = within(budgetMs, nearestFirst(all, folder), folder)
      for (const batch of batchesOf(reaching)) {
        const limitMs = 15_000 + 4 * sumOf(batch)
        const attempt = async () => verdictOf(await run(vitest, pathsOf(batch), { active: mutant, limitMs }))
        const first = await attempt()
        const verdict = first.outcome === 'timed out' ? await attempt() : first
        if (verdict.outcome !== 'survived') return verdict
      }
      return { outcome: reaching.length > 0 ? 'survived' : 'not reached', by: '' }
    },
    close: () => vitest.close(),
  }
}

function failureIn(module: TestModule): string {
  const [test] = module.children.allTests('failed')
  const [error] = test?.result().errors ?? module.errors()
  return `${module.relativeModuleId}${test ? ` > ${test.fullName}` : ''}: ${messageOf(error)}`
}

function verdictOf({ testModules, unhandledErrors }: TestRunResult): Verdict {
  const lost = unhandledErrors.map(messageOf).find((message) => message.includes('[vitest-pool]'))
  const failed = testModules.find((module) => !module.ok())
  if (lost && ![...(failed?.children.allTests('failed') ?? [])].length) return { outcome: 'timed out', by: lost }
  if (failed) return { outcome: 'killed', by: failureIn(failed) }
  return { outcome: unhandledErrors.length > 0 ? 'killed' : 'survived', by: messageOf(unhandledErrors[0]) }
}

function messageOf(error: unknown): string {
  return String((error as { message?: unknown } | undefined)?.message ?? '').split('\n')[0] ?? ''
}

function start({ folder }: Sandbox, bail: number): Promise<Vitest> {
  return createVitest('test', {
    root: folder,
    watch: false,
    bail,
    reporters: [{}],
    silent: true,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    setupFiles: ['test/support/setup.ts', 'test/mutation/setup.ts'].map((path) => join(folder, path)),
    isolate: false,
    execArgv: ['--max-old-space-size=4096', '--import', join(folder, 'test/mutation/switch.mjs')],
  })
}

/** Clears the results of the previous run first: vitest accumulates them. */
async function run(vitest: Vitest, paths: readonly string[], assignment: Assignment): Promise<TestRunResult> {
  vitest.provide('mutation', assignment)
  vitest.state.filesMap.clear()
  const project = vitest.getRootProject()
  return vitest.runTestSpecifications(paths.map((path) => project.createSpecification(path)))
}

/** The tests next to the mutant, then the others, fastest first in both groups. */
function nearestFirst(tests: readonly TestFile[], folder: string): readonly TestFile[] {
  const distance = ({ path }: TestFile) => (path.startsWith(`${folder}/`) ? 0 : 1)
  return [...tests].sort((a, b) => distance(a) - distance(b) || a.durationMs - b.durationMs)
}

/** Tests in the folder of the mutant always run; of the others as many as fit into the budget, but at least one. */
function within(budgetMs: number, tests: readonly TestFile[], folder: string): readonly TestFile[] {
  const own = tests.filter(({ path }) => dirname(path) === folder)
  const others = tests.filter((test) => !own.includes(test))
  return [...own, ...others.filter((_, index) => index === 0 || sumOf(others.slice(0, index + 1)) <= budgetMs)]
}

/** Batches of growing length: most mutants are killed in the first. */
function batchesOf(tests: readonly TestFile[]): readonly (readonly TestFile[])[] {
  const batches: TestFile[][] = []
  let limitMs = 2_000
  for (const test of tests) {
    const last = batches.at(-1)
    if (last && sumOf(last) + test.durationMs <= limitMs) {
      last.push(test)
      continue
    }
    if (last) limitMs *= 3
    batches.push([test])
  }
  return batches
}

function sumOf(tests: readonly TestFile[]): number {
  return tests.reduce((sum, { durationMs }) => sum + durationMs, 0)
}

function pathsOf(tests: readonly TestFile[]): readonly string[] {
  return tests.map(({ path }) => path)
}

type Recording = { readonly loaded: readonly number[]; readonly reached: readonly number[] }

/** The mutants that each test file reached while loading, and later. */
function readRecordings(folder: string): ReadonlyMap<string, Recording> {
  return new Map(
    readdirSync(folder).map((name) => {
      const lines = readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean)
      const [loaded, reached] = [lines.filter((line) => line.startsWith('load ')), lines.filter((line) => !line.startsWith('load '))]
      return [name.replaceAll('+', '/'), { loaded: loaded.map((line) => Number(line.slice(5))), reached: reached.map(Number) }]
    }),
  )
}

function durationOf(module: TestModule): number {
  const { duration, collectDuration, prepareDuration } = module.diagnostic()
  return duration + collectDuration + prepareDuration
}
