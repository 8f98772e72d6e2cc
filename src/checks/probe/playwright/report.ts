import { readFile, stat } from 'node:fs/promises'
import { stripVTControlCharacters } from 'node:util'
import type { Step } from '../run.ts'

/** The part of Playwright's JSON report that is used. */
export type SuiteReport = {
  readonly durationMs: number
  readonly tests: readonly ReportedTest[]
  /** Errors outside of tests. */
  readonly errors: readonly string[]
}

export type ReportedTest = {
  readonly title: string
  readonly state: 'passed' | 'failed' | 'skipped'
  readonly durationMs: number
  readonly error: string | null
  readonly annotations: readonly Annotation[]
  readonly printed: string
  readonly steps: readonly Step[]
  /** The files of the screenshots that Playwright took. */
  readonly screenshots: readonly string[]
}

type Annotation = { readonly type: string; readonly description?: string }

const maxReportBytes = 32 * 1024 * 1024

/**
 * Null if the report is missing or incomplete, or no file: opening a pipe that a script has left there would never end. A report that is
 * too large is replaced with one whose error says so.
 */
export async function readReport(path: string): Promise<SuiteReport | null> {
  const size = await stat(path).then(
    (file) => (file.isFile() ? file.size : null),
    () => null,
  )
  if (size === null) return null
  if (size > maxReportBytes) return { durationMs: 0, tests: [], errors: ['the script printed too much output'] }
  const report = parsed(await readFile(path, 'utf8'))
  if (report === null) return null
  const { stats, errors, suites } = report
  return { durationMs: stats.duration, tests: suites.flatMap(testsOf), errors: errors.map(({ message }) => message ?? 'unknown error') }
}

/** A script decides how long its errors are. */
const summarizedLength = 10_000

/** The first lines of an error, without logs and stack, as one sentence. Secrets are to be redacted before: they may have several lines. */
export function errorSummary(error: string): string {
  const start = stripVTControlCharacters(error).slice(0, summarizedLength)
  const [text = ''] = start.split(/^[ \t]*(?:Call log:|Browser logs:|Require stack:|at .*:\d+:\d+\)?$|=+ logs =+)/m)
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return lines
    .slice(0, 5)
    .join('; ')
    .replace(/^(?:Error|TimeoutError): /, '')
}

type JsonError = { readonly message?: string }
type JsonStep = { readonly title: string; readonly duration: number; readonly error?: JsonError; readonly steps?: readonly JsonStep[] }
type JsonResult = {
  readonly duration: number
  readonly error?: JsonError
  readonly steps?: readonly JsonStep[]
  readonly annotations?: readonly Annotation[]
  readonly stdout: readonly { readonly text?: string }[]
  readonly stderr: readonly { readonly text?: string }[]
  readonly attachments?: readonly { readonly name: string; readonly path?: string }[]
}
type JsonTest = {
  readonly status: 'expected' | 'unexpected' | 'flaky' | 'skipped'
  readonly annotations: readonly Annotation[]
  readonly results: readonly JsonResult[]
}
type JsonSuite = {
  readonly specs: readonly { readonly title: string; readonly tests: readonly JsonTest[] }[]
  readonly suites?: readonly JsonSuite[]
}
type JsonReport = {
  readonly stats: { readonly duration: number }
  readonly errors: readonly JsonError[]
  readonly suites: readonly JsonSuite[]
}

function parsed(text: string): JsonReport | null {
  try {
    return JSON.parse(text) as JsonReport
  } catch {
    return null
  }
}

function testsOf({ specs, suites = [] }: JsonSuite): readonly ReportedTest[] {
  return [...specs.flatMap(({ title, tests }) => tests.map((test) => reportedTest(title, test))), ...suites.flatMap(testsOf)]
}

/** A retried test has the state of its last attempt. */
function reportedTest(title: string, test: JsonTest): ReportedTest {
  const last = test.results.at(-1)
  const state = test.status === 'skipped' ? 'skipped' : test.status === 'unexpected' ? 'failed' : 'passed'
  return {
    title,
    state,
    durationMs: last?.duration ?? 0,
    error: state === 'failed' ? (last?.error?.message ?? 'it did not end as expected') : null,
    annotations: last?.annotations ?? test.annotations,
    printed: [...(last?.stdout ?? []), ...(last?.stderr ?? [])].map(({ text = '' }) => text).join(''),
    steps: (last?.steps ?? []).flatMap((step) => stepsOf(step)),
    screenshots: (last?.attachments ?? []).flatMap(({ name, path }) => (name === 'screenshot' && path !== undefined ? [path] : [])),
  }
}

/** A step and those within it, in order. */
function stepsOf({ title, duration, error, steps = [] }: JsonStep, within = ''): readonly Step[] {
  const path = `${within}${title}`
  const own = { title: path, durationMs: duration, error: error ? (error.message ?? 'it failed') : null }
  return [own, ...steps.flatMap((step) => stepsOf(step, `${path} › `))]
}
