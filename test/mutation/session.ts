import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createVitest, type TestModule, type TestRunResult, type Vitest } from 'vitest/node'
import type { Sandbox } from './sandbox.ts'
import type { Assignment } from './setup.ts'

/** What a test file does without a mutant: how long it takes, and which mutants it reaches. */
export type TestFile = { readonly path: string; readonly durationMs: number; readonly reached: ReadonlySet<number> }
export type Outcome = 'killed' | 'timed out' | 'survived' | 'not reached'
/** `by` names the test that fails with the mutant, and how. */
export type Verdict = { readonly outcome: Outcome; readonly by: string }

/** Runs each test file once without a mutant. A file that fails so cannot judge any, and is left out. */
export async function rehearse(
  sandbox: Sandbox,
  paths: readonly string[],
): Promise<{ tests: readonly TestFile[]; failed: readonly string[] }> {
  const vitest = await start(sandbox, 0)
  try {
    const modules = await run(
      vitest,
      paths.map((path) => join(sandbox.folder, path)),
      { recordIn: sandbox.recordings },
    )
    const reached = readRecordings(sandbox.recordings)
    const passed = modules.testModules.filter((module) => module.ok())
    const tests = passed.map((module) => ({
      path: module.moduleId,
      durationMs: durationOf(module),
      reached: reached.get(module.moduleId) ?? new Set<number>(),
    }))
    const failed = modules.testModules.filter((module) => !module.ok()).map((module) => failureIn(module))
    return { tests, failed }
  } finally {
    await vitest.close()
  }
}

export type Session = { judge(mutant: number): Promise<Verdict>; close(): Promise<void> }

/** Runs mutant after mutant in one vitest, each against the test files that reach it. A lost test process gets a second try. */
export async function openSession(sandbox: Sandbox, tests: readonly TestFile[]): Promise<Session> {
  const vitest = await start(sandbox, 1)
  return {
    async judge(mutant) {
      const reaching = tests.filter(({ reached }) => reached.has(mutant))
      for (const batch of batchesOf(reaching)) {
        const limitMs = 15_000 + 5 * Math.max(...batch.map(({ durationMs }) => durationMs))
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
    setupFiles: [join(folder, 'test/mutation/setup.ts')],
    execArgv: ['--max-old-space-size=2048'],
  })
}

/** Without the results of the run before: vitest adds those of each run to what it holds. */
async function run(vitest: Vitest, paths: readonly string[], assignment: Assignment): Promise<TestRunResult> {
  vitest.provide('mutation', assignment)
  vitest.state.filesMap.clear()
  const project = vitest.getRootProject()
  return vitest.runTestSpecifications(paths.map((path) => project.createSpecification(path)))
}

/** The quickest first, in batches of growing length: most mutants die in the first. */
function batchesOf(tests: readonly TestFile[]): readonly (readonly TestFile[])[] {
  const batches: TestFile[][] = []
  let limitMs = 2_000
  let sumMs = Number.POSITIVE_INFINITY
  for (const test of [...tests].sort((a, b) => a.durationMs - b.durationMs)) {
    if (sumMs + test.durationMs > limitMs) {
      if (batches.length > 0) limitMs *= 3
      batches.push([])
      sumMs = 0
    }
    batches.at(-1)?.push(test)
    sumMs += test.durationMs
  }
  return batches
}

function pathsOf(tests: readonly TestFile[]): readonly string[] {
  return tests.map(({ path }) => path)
}

function readRecordings(folder: string): ReadonlyMap<string, ReadonlySet<number>> {
  return new Map(
    readdirSync(folder).map((name) => {
      const { file, reached } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { file: string; reached: number[] }
      return [file, new Set(reached)]
    }),
  )
}

function durationOf(module: TestModule): number {
  const { duration, collectDuration, prepareDuration } = module.diagnostic()
  return duration + collectDuration + prepareDuration
}
