import type { Check, CheckType, OneResult } from '../api/answers.ts'
import { useCheck } from '../api/use-check.ts'
import { type Resource, useResource, useWatch } from '../api/use-resource.ts'
import { outcomeOf } from '../check/runs.tsx'
import { Link, type Route } from '../state/route.tsx'
import { Notice, Skeleton } from '../view/notice.tsx'
import { StateMark } from '../view/state.tsx'
import { dayText, Time, timeFormats } from '../view/time.tsx'
import { useTitle } from '../view/use-title.ts'
import { EvidenceView } from './evidence-view.tsx'
import { Figures } from './figures.tsx'
import { Pages } from './pages.tsx'
import { RunLink } from './run-link.tsx'
import { Waterfall } from './waterfall.tsx'

type RunViewProps = {
  readonly id: string
  readonly resultId: string
  readonly route: Route
  readonly types: Resource<readonly CheckType[]>
}

/** Everything about one run. */
export function RunView({ id, resultId, route, types }: RunViewProps) {
  const check = useCheck(id)
  const run = useRun(id, resultId, route.query.get('startedAt'))
  useWatch([id])
  const checkType = types.data?.find((type) => type.checkType === check.data?.checkType)
  const problem = check.problem ?? types.problem ?? run.problem
  if (problem !== undefined && (check.data === undefined || checkType === undefined || run.data === undefined)) {
    return (
      <Notice alert title={problem.message}>
        {check.data === undefined ? (
          <Link href="/">All checks of this account</Link>
        ) : (
          <Link href={`/checks/${id}`}>All runs of {check.data.name}</Link>
        )}
      </Notice>
    )
  }
  if (check.data === undefined || checkType === undefined || run.data === undefined) return <Skeleton lines={6} height={72} />
  return <RunDetails check={check.data} checkType={checkType} run={run.data} />
}

function useRun(id: string, resultId: string, startedAt: string | null): Resource<OneResult> {
  const query = startedAt === null ? '' : `?startedAt=${encodeURIComponent(startedAt)}`
  const path = `/v1/check-results/${encodeURIComponent(id)}/${encodeURIComponent(resultId)}${query}`
  return useResource(path, async (api, signal) => (await api.request<OneResult>({ path }, signal)).data)
}

type DetailsProps = { readonly check: Check; readonly checkType: CheckType; readonly run: OneResult }

function RunDetails({ check, checkType, run }: DetailsProps) {
  const at = Date.parse(run.startedAt)
  useTitle(`${check.name}, run of ${dayText(at)} ${timeFormats().clock.format(at)}`)
  return (
    <>
      <RunHead check={check} run={run} />
      {run.error !== null && (
        <section class="panel" data-panel="reason">
          <header>
            <h2>Why it failed</h2>
          </header>
          <p class="run-reason">{run.error}</p>
        </section>
      )}
      <Figures run={run} checkType={checkType} />
      <Waterfall run={run} checkType={checkType} />
      <Pages run={run} checkType={checkType} />
      <EvidenceView evidence={run.evidence} failed={run.hasFailures} />
    </>
  )
}

function RunHead({ check, run }: { check: Check; run: OneResult }) {
  const { previous, next } = run
  return (
    <div class="view-head">
      <nav aria-label="Up">
        <Link href="/">Checks</Link> / <Link href={`/checks/${check.id}`}>{check.name}</Link>
      </nav>
      <h1>
        Run of <Time at={Date.parse(run.startedAt)} />
      </h1>
      <StateMark state={outcomeOf(run)} />
      <nav class="run-neighbours" aria-label="Runs before and after">
        {previous && (
          <RunLink class="quiet-button" checkId={check.id} run={previous}>
            ← Run before
          </RunLink>
        )}
        {next && (
          <RunLink class="quiet-button" checkId={check.id} run={next}>
            Run after →
          </RunLink>
        )}
      </nav>
    </div>
  )
}
