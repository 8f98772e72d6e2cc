import type { AssertionOutcome } from '../run.ts'
import type { Trouble } from './browser-proxy.ts'
import { howToInstall } from './chromium.ts'
import type { Ended } from './process-group.ts'
import { type Report, type ReportedTest, sentence } from './report.ts'

export type Verdict = {
  readonly failure: string | null
  readonly broken: boolean
  /** The tests, one by one. */
  readonly assertions: readonly AssertionOutcome[]
  readonly notes: readonly string[]
}

type Evidence = {
  readonly report: Report | null
  readonly ended: Ended
  /** The connections that the proxy could not make. */
  readonly troubles: readonly Trouble[]
  readonly timeoutMs: number
  readonly clean: (text: string) => string
}

/** Whether a run of Playwright is a success, and what to tell people of it. */
export function verdictOf(evidence: Evidence): Verdict {
  const { report, troubles, clean } = evidence
  const { failure, broken } = judged(evidence)
  const printed = (report?.tests ?? []).flatMap(({ printed }) => clean(printed).split('\n')).filter((line) => line.trim() !== '')
  return {
    failure: failure === null ? null : cut(clean(failure), 600),
    broken,
    assertions: (report?.tests ?? [])
      .filter(({ state }) => state !== 'skipped')
      .slice(0, 200)
      .map((test) => asAssertion(test, clean)),
    notes: [...troubles.map(({ host, words }) => clean(`not reached: ${host}, ${words}`)), ...printed.slice(0, 100)].map((note) =>
      cut(note, 500),
    ),
  }
}

type Judgement = Pick<Verdict, 'failure' | 'broken'>

function judged({ report, ended, troubles, timeoutMs, clean }: Evidence): Judgement {
  if (ended.how === 'timeout') return unable(`it did not end within ${timeoutMs.toLocaleString('en-US')} ms and was stopped`)
  if (ended.how === 'abort') return unable('the run was stopped before it ended')
  if (report === null) return unable(`Playwright could not run it: ${sentence(clean(ended.output)) || `exit code ${ended.code}`}`)
  const ran = report.tests.filter(({ state }) => state !== 'skipped')
  const failed = ran.filter(({ state }) => state === 'failed')
  const [first] = failed
  if (first !== undefined) return found(wording(first, failed.length, ran.length), troubles)
  const [error] = report.errors
  if (error !== undefined) return unable(sentence(error))
  return ran.length === 0 ? unable('no test ran: every test is skipped') : { failure: null, broken: false }
}

function unable(failure: string): Judgement {
  return { failure, broken: true }
}

function wording({ title, error }: ReportedTest, failed: number, ran: number): string {
  const reason = reasonOf(error ?? '')
  if (ran === 1) return reason
  return failed === 1 ? `${title}: ${reason}` : `${failed} of ${ran} tests failed, first ${title}: ${reason}`
}

function reasonOf(error: string): string {
  if (error.includes("Executable doesn't exist")) return `browserType.launch: there is no such browser on this machine: ${howToInstall}`
  if (error.includes('No usable sandbox')) return `browserType.launch: ${howToAllowSandbox}`
  return sentence(error)
}

const howToAllowSandbox =
  'Chromium has no sandbox here: allow user namespaces to the user that Tidemark runs as, or run Tidemark as root in a container of its own'

const notReached =
  /net::ERR_|NS_ERROR_|ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|socket hang up|Proxy connection|Bad Gateway|browserType\.launch/

/** A test that failed because nobody answered is told why, which only the proxy knows: of the hosts it names, or of all. */
function found(failure: string, troubles: readonly Trouble[]): Judgement {
  if (!notReached.test(failure)) return { failure, broken: false }
  const named = troubles.filter(({ host }) => failure.includes(host.replace(/:(?:80|443)$/, '')))
  const reasons = new Set((named.length > 0 ? named : troubles).slice(0, 3).map(({ words }) => words))
  return { failure: reasons.size > 0 ? `${failure} (${[...reasons].join('; ')})` : failure, broken: true }
}

function asAssertion({ title, state, error, durationMs }: ReportedTest, clean: (text: string) => string): AssertionOutcome {
  const actual = error === null ? `passed in ${Math.round(durationMs)} ms` : sentence(error)
  return { text: cut(clean(title), 200), passed: state === 'passed', actual: cut(clean(actual), 500) }
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}
