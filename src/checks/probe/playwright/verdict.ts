import type { AssertionOutcome } from '../judge/judge.ts'
import type { Step } from '../run.ts'
import type { ConnectionFailure } from './browser-proxy.ts'
import { howToInstall } from './chromium.ts'
import type { ProcessResult } from './process-group.ts'
import { errorSummary, type ReportedTest, type SuiteReport } from './report.ts'

export type SuiteVerdict = {
  readonly failure: string | null
  readonly broken: boolean
  /** One for each test. */
  readonly assertions: readonly AssertionOutcome[]
  readonly notes: readonly string[]
  readonly steps: readonly Step[]
}

type RunOutput = {
  readonly report: SuiteReport | null
  readonly ended: ProcessResult
  /** The connections that the proxy could not make. */
  readonly failures: readonly ConnectionFailure[]
  readonly timeoutMs: number
  readonly clean: (text: string) => string
}

/** Whether a run of Playwright succeeded, and its assertions and notes for display. */
export function verdictOf(evidence: RunOutput): SuiteVerdict {
  const { report, failures, clean } = evidence
  const { failure, broken } = failureOf(evidence)
  const printed = (report?.tests ?? []).flatMap(({ printed }) => clean(printed).split('\n')).filter((line) => line.trim() !== '')
  return {
    failure: failure === null ? null : truncate(clean(failure), 600),
    broken,
    assertions: (report?.tests ?? [])
      .filter(({ state }) => state !== 'skipped')
      .slice(0, 200)
      .map((test) => asAssertion(test, clean)),
    notes: [...failures.map(({ host, reason }) => clean(`not reached: ${host}, ${reason}`)), ...printed.slice(0, 100)].map((note) =>
      truncate(note, 500),
    ),
    steps: (report?.tests ?? [])
      .flatMap(({ steps }) => steps)
      .slice(0, 200)
      .map(({ title, durationMs, error }) => ({
        title: truncate(clean(title), 200),
        durationMs,
        error: error === null ? null : truncate(errorSummary(clean(error)), 500),
      })),
  }
}

type Failure = Pick<SuiteVerdict, 'failure' | 'broken'>

function failureOf({ report, ended, failures, timeoutMs, clean }: RunOutput): Failure {
  if (ended.how === 'timeout') return brokenRun(`it did not end within ${timeoutMs.toLocaleString('en-US')} ms and was stopped`)
  if (ended.how === 'abort') return brokenRun('the run was stopped before it ended')
  if (report === null) return brokenRun(`Playwright could not run it: ${errorSummary(clean(ended.output)) || `exit code ${ended.code}`}`)
  const ran = report.tests.filter(({ state }) => state !== 'skipped')
  const failed = ran.filter(({ state }) => state === 'failed')
  const [first] = failed
  if (first !== undefined) return withNetworkReason(failureText(first, { failed: failed.length, ran: ran.length }, clean), failures)
  const [error] = report.errors
  if (error !== undefined) return brokenRun(errorSummary(clean(error)))
  return ran.length === 0 ? brokenRun('no test ran: every test is skipped') : { failure: null, broken: false }
}

function brokenRun(failure: string): Failure {
  return { failure, broken: true }
}

type Failed = { readonly failed: number; readonly ran: number }

function failureText({ title, error }: ReportedTest, { failed, ran }: Failed, clean: RunOutput['clean']): string {
  const reason = reasonOf(clean(error ?? ''))
  if (ran === 1) return reason
  return failed === 1 ? `${title}: ${reason}` : `${failed} of ${ran} tests failed, first ${title}: ${reason}`
}

function reasonOf(error: string): string {
  if (error.includes("Executable doesn't exist")) return `browserType.launch: there is no such browser on this machine: ${howToInstall}`
  if (error.includes('No usable sandbox')) return `browserType.launch: ${howToAllowSandbox}`
  return errorSummary(error)
}

const howToAllowSandbox =
  'Chromium has no sandbox here: allow user namespaces for the user that Tidemark runs as, or run Tidemark as root in a separate container'

const notReached =
  /net::ERR_|NS_ERROR_|ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|socket hang up|Proxy connection|Bad Gateway|browserType\.launch/

/** Adds the proxy's reasons to a network failure: those of the hosts in its message, or of all hosts if it names none. */
function withNetworkReason(failure: string, failures: readonly ConnectionFailure[]): Failure {
  if (!notReached.test(failure)) return { failure, broken: false }
  const named = failures.filter(({ host }) => failure.includes(host.replace(/:(?:80|443)$/, '')))
  const reasons = new Set((named.length > 0 ? named : failures).slice(0, 3).map(({ reason }) => reason))
  return { failure: reasons.size > 0 ? `${failure} (${[...reasons].join('; ')})` : failure, broken: true }
}

function asAssertion({ title, state, error, durationMs }: ReportedTest, clean: (text: string) => string): AssertionOutcome {
  const actual = error === null ? `passed in ${Math.round(durationMs)} ms` : errorSummary(clean(error))
  return { text: truncate(clean(title), 200), passed: state === 'passed', actual: truncate(actual, 500) }
}

function truncate(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}
