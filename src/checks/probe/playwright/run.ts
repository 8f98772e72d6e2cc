import { randomUUID } from 'node:crypto'
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { asExhaustion, MachineExhausted } from '../exhaustion.ts'
import { ProbeFault } from '../failures.ts'
import { redactor } from '../redact.ts'
import type { RunContext } from '../run.ts'
import { type BrowserProxy, openBrowserProxy } from './browser-proxy.ts'
import { findChromium } from './chromium.ts'
import { type ProcessResult, runInGroup } from './process-group.ts'
import { readScreenshot } from './read-screenshot.ts'
import { readReport, type SuiteReport } from './report.ts'
import { scriptEnvironment } from './script-environment.ts'
import { type SuiteVerdict, verdictOf } from './verdict.ts'

type SuiteJob = {
  readonly browser: 'needed' | 'if there' | 'none'
  readonly variables: Readonly<Record<string, string>>
  /** Writes the files of the run into its folder; throws `ProbeFault` if it cannot be run. */
  readonly prepare: (workspace: Workspace) => Promise<CliCall>
}

export type Workspace = {
  /** A temporary folder, removed after the run. */
  readonly folder: string
  /** The path of the JSON report. */
  readonly reportFile: string
  readonly proxyUrl: string
  readonly deadEndUrl: string
  readonly chromium: string | null
  /** The timeouts of a test and of all tests: early enough to write a report before the run is killed. */
  readonly testTimeoutMs: number
  readonly globalTimeoutMs: number
}

/** How to call Playwright's command line program. */
export type CliCall = { readonly cli: string; readonly cwd: string; readonly args: readonly string[] }

type SuiteOutcome = SuiteVerdict & {
  readonly report: SuiteReport | null
  /** Playwright's last screenshot of a failed test. */
  readonly screenshot: Uint8Array | null
  /** Removes secrets and local paths from output of the script. */
  readonly clean: (text: string) => string
}

const outputLimit = 64 * 1024

const newFolder = async () => realpath(await mkdtemp(join(tmpdir(), 'tidemark-run-')))

/** Runs Playwright's test runner once, in a separate process with its own folder, environment and proxy. */
export async function runPlaywright(job: SuiteJob, context: RunContext): Promise<SuiteOutcome> {
  const found = job.browser === 'none' ? null : await findChromium(context.chromium, context.env.PATH ?? '')
  const chromium = found !== null && 'path' in found ? found.path : null
  if (job.browser === 'needed' && found !== null && 'missing' in found) return broken(found.missing)
  const proxy = await openBrowserProxy(context)
  const folder = await newFolder().catch((error) => {
    proxy.close()
    throw error
  })
  const { secrets } = context
  const clean = textCleaner(
    secrets,
    [folder, resolve(context.configDir)].filter((path) => path !== dirname(path)),
  )
  try {
    const reportFile = join(folder, 'report.json')
    const call = await job.prepare({
      folder,
      reportFile,
      proxyUrl: proxy.url,
      deadEndUrl: proxy.deadEndUrl,
      chromium,
      ...timeouts(context.timeoutMs),
    })
    const environment = scriptEnvironment({ machine: context.env, folder, proxyUrl: proxy.url, variables: job.variables })
    const ended = await start(call, environment, context)
    const exhaustion = proxy.exhaustion()
    if (exhaustion) throw exhaustion
    const report = ended.how === 'exit' ? await readReport(reportFile) : null
    const verdict = verdictOf({ report, ended: trimmed(ended, secrets), failures: proxy.failures(), timeoutMs: context.timeoutMs, clean })
    if (verdict.failure !== null) await requireSpace(folder)
    return { report, screenshot: await readScreenshot(report, folder, context.screenshotBytes ?? 0), clean, ...verdict }
  } catch (error) {
    if (!(error instanceof ProbeFault)) throw error
    await requireSpace(folder)
    return broken(clean(error.message))
  } finally {
    await cleanUp(folder, proxy)
  }
}

/**
 * Throws if the disk of a failed run is full: on that, browsers and test runners fail with errors of any kind. Only writes a new file, since
 * opening a pipe that the script has left there would never end.
 */
async function requireSpace(folder: string): Promise<void> {
  await writeFile(join(folder, 'space'), Buffer.alloc(65_536), { flag: 'wx' }).catch((error: unknown) => {
    const exhaustion = asExhaustion(error, 'a run')
    if (exhaustion instanceof MachineExhausted) throw exhaustion
  })
}

function start(
  { cli, cwd, args }: CliCall,
  environment: Readonly<Record<string, string>>,
  { signal, timeoutMs }: RunContext,
): Promise<ProcessResult> {
  return runInGroup({
    command: process.execPath,
    args: [cli, 'test', ...args],
    cwd,
    environment,
    mark: randomUUID(),
    timeoutMs,
    signal,
    outputLimit,
  })
}

async function cleanUp(folder: string, proxy: BrowserProxy): Promise<void> {
  proxy.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
}

function timeouts(timeoutMs: number) {
  const reserveMs = Math.min(10_000, timeoutMs / 4)
  return { testTimeoutMs: Math.ceil(timeoutMs - reserveMs), globalTimeoutMs: Math.ceil(timeoutMs - reserveMs / 2) }
}

function broken(failure: string): SuiteOutcome {
  return { report: null, screenshot: null, clean: (text) => text, failure, broken: true, assertions: [], notes: [], steps: [] }
}

/**
 * Truncated output may end with part of a secret, which redaction would miss, so as many characters as the longest secret has are removed.
 */
function trimmed(ended: ProcessResult, secrets: readonly string[]): ProcessResult {
  const longest = Math.max(0, ...secrets.map((secret) => secret.length))
  return ended.truncated ? { ...ended, output: ended.output.slice(0, Math.max(0, ended.output.length - longest)) } : ended
}

function textCleaner(secrets: readonly string[], folders: readonly string[]): (text: string) => string {
  const redact = redactor(secrets)
  return (text) => folders.reduce((short, folder) => short.replaceAll(`${folder}/`, ''), redact(stripVTControlCharacters(text)))
}
