import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Check, CheckType, Summary } from '../api/answers.ts'
import type { Problem } from '../api/client.ts'
import { type Resource, useSession, useWatch } from '../api/use-resource.ts'
import { ExportButton } from '../share/export-dialog.tsx'
import { navigate, type Route, withQuery } from '../state/route.tsx'
import { endsOf, isNamed, type TimeWindow, windowOf, windowParameters } from '../state/window.ts'
import { plural } from '../view/figures.ts'
import { lazy } from '../view/lazy.tsx'
import { Notice, Skeleton } from '../view/notice.tsx'
import { Pager } from '../view/pager.tsx'
import { useTitle } from '../view/use-title.ts'
import { ChecksTable } from './checks-table.tsx'
import { Filters } from './filters.tsx'
import { listExport } from './list-export.ts'
import { type Entry, entryOf, filtered, listState, pageOf, sorted } from './list-state.ts'
import { checksPerCall, useChecks, useStatuses, useSummaries } from './use-checks.ts'

const FirstCheck = lazy(async () => (await import('../start/first-check.tsx')).FirstCheck)

const renderTimeoutMs = 600
const lastDay = { preset: 'last24Hours' } as const

export function ChecksView({ route, types }: { readonly route: Route; readonly types: Resource<readonly CheckType[]> }) {
  useTitle()
  const checks = useChecks()
  const statuses = useStatuses()
  const problem = checks.problem ?? types.problem
  if (checks.data === undefined) {
    return problem === undefined ? <Waiting /> : <Notice alert title={problem.message} />
  }
  if (checks.data.length === 0) return types.data === undefined ? <Waiting /> : <FirstCheck types={types.data} />
  return <Checks route={route} checks={checks.data} statuses={statuses} types={types} />
}

type ChecksProps = {
  readonly route: Route
  readonly checks: readonly Check[]
  readonly statuses: ReturnType<typeof useStatuses>
  readonly types: Resource<readonly CheckType[]>
}

function Checks({ route, checks, statuses, types }: ChecksProps) {
  const { tick } = useSession()
  const state = listState(route)
  const now = useMemo(() => Date.now(), [tick])
  const labels = useMemo(() => new Map(types.data?.map(({ checkType, label }) => [checkType, label])), [types.data])
  const window = windowOf(route)
  const paths = {
    path: summaryPath(endsOf(window, now), endsOf(lastDay, now)),
    rolling: 'preset' in window && !isNamed(window) ? null : summaryPath(window, lastDay),
    window: JSON.stringify(window),
  }
  const listed = (summaries: ReadonlyMap<string, Summary>) => {
    const entries = checks.map((check) => entryOf(check, { statuses: statuses.data, summaries, labels }))
    return { entries, fitting: sorted(filtered(entries, state), state) }
  }
  const { fitting: unsummed } = listed(new Map())
  const byFigures = state.sort === 'availability' || state.sort === 'p95'
  const asked = byFigures ? unsummed : pageOf(unsummed, state.page).entries
  const ids = checks.length > checksPerCall && !settled(statuses) ? [] : asked.map(({ check }) => check.id)
  const summaries = useSummaries(paths, ids)
  const { entries, fitting: all } = listed(summaries.byCheck)
  const shown = pageOf(all, state.page)
  useWatch(shown.entries.map(({ check }) => check.id).sort())
  const timedOut = useRenderTimeout()
  const waiting = summaries.byCheck.size === 0 && summaries.problem === null && ids.length > 0 && !timedOut
  if (waiting || !settled(statuses) || !settled(types)) return <Waiting />
  return (
    <>
      <div class="view-head">
        <h1>Checks</h1>
        <Counts entries={entries} route={route} />
        <ExportButton of="Checks" exported={() => listExport({ ...paths, entries: shown.entries, total: checks.length, now })} />
      </div>
      <Filters route={route} state={state} checks={checks} labels={labels} />
      <Problems problems={[statuses.problem, summaries.problem]} />
      {all.length === 0 ? (
        <Notice title="No check fits.">
          <button type="button" onClick={() => navigate('/')}>
            Show all {checks.length}
          </button>
        </Notice>
      ) : (
        <ChecksTable
          entries={shown.entries}
          busy={summaries.loading}
          failed={summaries.problem !== null}
          state={state}
          route={route}
          now={now}
        />
      )}
      <footer class="view-foot">
        <span class="note">
          {all.length === checks.length ? plural(all.length, 'check') : `${all.length} of ${plural(checks.length, 'check')}`}
        </span>
        <Pager route={route} page={shown.page} pages={shown.pages} />
      </footer>
    </>
  )
}

function Waiting() {
  return <Skeleton lines={12} height={36} />
}

function settled({ data, problem }: Resource<unknown>): boolean {
  return data !== undefined || problem !== undefined
}

/** Whether to render rows before their figures arrive: rendering a hundred rows twice takes longer than most requests. */
function useRenderTimeout(): boolean {
  const [timedOut, setTimedOut] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setTimedOut(true), renderTimeoutMs)
    return () => clearTimeout(timer)
  }, [])
  return timedOut
}

/** One request for the figures of a window and the hours of the same or another one. */
function summaryPath(window: TimeWindow, hoursOf: TimeWindow): string {
  const figures = windowParameters(window)
  const hours = windowParameters(hoursOf)
  const named = hours.map(([name, value]) => [`data${name.slice(0, 1).toUpperCase()}${name.slice(1)}`, value])
  const parameters = [...figures, ['aggregationInterval', '60'], ...(figures.join() === hours.join() ? [] : named)]
  return `/v1/analytics/checks?${parameters.map((pair) => pair.join('=')).join('&')}`
}

function Problems({ problems }: { problems: readonly (Problem | null | undefined)[] }) {
  const words = new Set(problems.flatMap((problem) => problem?.message ?? []))
  return [...words].map((message) => <Notice key={message} alert title={message} />)
}

function Counts({ entries, route }: { entries: readonly Entry[]; route: Route }) {
  const count = (state: string) => entries.filter((entry) => entry.state === state).length
  const shown = (['failing', 'degraded', 'passing'] as const).filter((state) => count(state) > 0)
  return (
    <p class="counts">
      {shown.map((state) => (
        <button
          key={state}
          type="button"
          class={`count count-${state}`}
          onClick={() => navigate(withQuery(route, { status: state, page: null }))}
        >
          <b>{count(state)}</b> {state}
        </button>
      ))}
    </p>
  )
}
