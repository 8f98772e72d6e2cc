import type { Check, CheckType, OneResult } from '../api/answers.ts'
import { useCheck } from '../api/use-check.ts'
import { firstProblem, type Resource, useResource, useWatch } from '../api/use-resource.ts'
import { outcomeWord, runState, runsHref } from '../check/runs.tsx'
import { type Route, RouteLink, upTo } from '../state/route.tsx'
import { ProblemNotice, Skeleton } from '../view/notice.tsx'
import { StateMark } from '../view/state.tsx'
import { dayText, Time, timeFormats } from '../view/time.tsx'
import { useTitle } from '../view/use-title.ts'
import { RunLink } from './run-link.tsx'
import { RunParts } from './run-parts.tsx'

type RunViewProps = {
  readonly id: string
  readonly resultId: string
  readonly route: Route
  readonly types: Resource<readonly CheckType[]>
}

export function RunView({ id, resultId, route, types }: RunViewProps) {
  const check = useCheck(id)
  const run = useRun(id, resultId, route.query.get('startedAt'))
  useWatch([id])
  const checkType = types.data?.find((type) => type.checkType === check.data?.checkType)
  const failed = firstProblem(check, types, run)
  if (failed !== null) {
    return (
      <ProblemNotice whole of={failed}>
        {check.data === undefined ? (
          <RouteLink href="/">All checks of this account</RouteLink>
        ) : (
          <RouteLink href={`/checks/${id}`}>All runs of {check.data.name}</RouteLink>
        )}
      </ProblemNotice>
    )
  }
  if (check.data === undefined || checkType === undefined || run.data === undefined) return <Skeleton lines={6} height={72} />
  return <RunDetails check={check.data} checkType={checkType} run={run.data} route={route} />
}

function useRun(id: string, resultId: string, startedAt: string | null): Resource<OneResult> {
  const start = startedAt === null ? '' : `&startedAt=${encodeURIComponent(startedAt)}`
  const path = `/v1/check-results/${encodeURIComponent(id)}/${encodeURIComponent(resultId)}?sameLocation=true${start}`
  return useResource(path, async (api, signal) => (await api.request<OneResult>({ path }, signal)).data)
}

type DetailsProps = { readonly check: Check; readonly checkType: CheckType; readonly run: OneResult; readonly route: Route }

function RunDetails({ check, checkType, run, route }: DetailsProps) {
  const at = Date.parse(run.startedAt)
  useTitle(`${check.name}, run of ${dayText(at)} ${timeFormats().clock.format(at)}`)
  return (
    <>
      <RunHead check={check} run={run} route={route} />
      <RunParts run={run} checkType={checkType} runsAt={runsAt(check, route)} />
    </>
  )
}

/** The check's runs at a location, in the window that the user left. */
function runsAt({ id }: Check, { above }: Route): (location: string) => string {
  const path = `/checks/${id}`
  return (location) => runsHref({ path, query: new URLSearchParams(above[path]) }, { location })
}

function RunHead({ check, run, route }: Pick<DetailsProps, 'check' | 'run' | 'route'>) {
  const { previous, next } = run
  const checkPath = `/checks/${check.id}`
  return (
    <div class="view-head">
      <nav aria-label="Up">
        <RouteLink href={upTo('/', route, new URLSearchParams(route.above[checkPath]))}>Checks</RouteLink> <span aria-hidden="true">/</span>{' '}
        <RouteLink href={upTo(checkPath, route)}>{check.name}</RouteLink>
      </nav>
      <h1>
        Run of <Time at={Date.parse(run.startedAt)} zone />
      </h1>
      <StateMark state={runState(run)} word={outcomeWord(run)} />
      <nav class="run-neighbours" aria-label={`Previous and next run at ${run.runLocation}`}>
        {previous && (
          <RunLink class="quiet-button" checkId={check.id} run={previous}>
            ← Previous run
          </RunLink>
        )}
        {next && (
          <RunLink class="quiet-button" checkId={check.id} run={next}>
            Next run →
          </RunLink>
        )}
      </nav>
    </div>
  )
}
