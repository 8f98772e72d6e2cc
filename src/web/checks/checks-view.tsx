import { useMemo, useRef } from 'preact/hooks'
import type { Check, CheckType, FaultyCheck, Summary } from '../api/answers.ts'
import type { Problem } from '../api/client.ts'
import { firstProblem, type Resource, settled, useSession, useWatch } from '../api/use-resource.ts'
import { useMayWrite } from '../api/use-scope.ts'
import { ExportButton } from '../share/export-dialog.tsx'
import { navigate, type Route, RouteLink, withQuery } from '../state/route.tsx'
import { endsOf, isNamed, queryText, type TimeWindow, windowOf, windowParameters, zoneParameters } from '../state/window.ts'
import { plural } from '../view/figures.ts'
import { lazyView } from '../view/lazy-view.tsx'
import { Notice, ProblemNotice, Skeleton } from '../view/notice.tsx'
import { Pager } from '../view/pager.tsx'
import { useRenderTimeout } from '../view/use-render-timeout.ts'
import { useTitle } from '../view/use-title.ts'
import { ChecksTable } from './checks-table.tsx'
import { FaultyChecks, useFaultyChecks } from './faulty-checks.tsx'
import { Filters } from './filters.tsx'
import { listExport } from './list-export.ts'
import { countsByState, entryOf, filtered, type ListRow, type ListState, listPage, listState, sorted } from './list-options.ts'
import { SelectionBar, useSelection } from './selection.tsx'
import { checksPerCall, failingIn, useChecks, useStatuses, useSummaries } from './use-checks.ts'

const FirstCheck = lazyView(async () => (await import('../start/first-check.tsx')).FirstCheck)

const lastDay = { preset: 'last24Hours' } as const

export function ChecksView({ route, types }: { readonly route: Route; readonly types: Resource<readonly CheckType[]> }) {
  const checks = useChecks()
  const statuses = useStatuses()
  const faulty = useFaultyChecks()
  const failing = failingIn(statuses.data)
  useTitle(...(failing === 0 ? [] : [`${failing} failing`]))
  const failed = firstProblem(checks, types)
  if (failed !== null) return <ProblemNotice whole of={failed} />
  if (checks.data === undefined || !settled(faulty)) return <Waiting />
  if (checks.data.length > 0)
    return <Checks route={route} checks={checks.data} statuses={statuses} types={types} faulty={faulty.data ?? []} />
  if (types.data === undefined) return <Waiting />
  return (
    <>
      <FaultyChecks checks={faulty.data ?? []} />
      <FirstCheck types={types.data} />
    </>
  )
}

type ChecksProps = {
  readonly route: Route
  readonly checks: readonly Check[]
  readonly statuses: ReturnType<typeof useStatuses>
  readonly types: Resource<readonly CheckType[]>
  readonly faulty: readonly FaultyCheck[]
}

function Checks({ route, checks, statuses, types, faulty }: ChecksProps) {
  const { tick } = useSession()
  const mayWrite = useMayWrite()
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
  const asked = byFigures ? unsummed : listPage(unsummed, state.page).entries
  const ids = checks.length > checksPerCall && !settled(statuses) ? [] : asked.map(({ check }) => check.id)
  const summaries = useSummaries(paths, ids)
  const { entries, fitting: all } = listed(summaries.byCheck)
  const shown = listPage(all, state.page)
  const shownIds = shown.entries.map(({ check }) => check.id)
  useWatch(shownIds.toSorted())
  const { selection, setOpen } = useSelection(shownIds)
  const timedOut = useRenderTimeout()
  const begun = useRef(false)
  // When sorting by figures, waits for all of them; otherwise rows would move as figures arrive.
  const missing = byFigures ? ids.some((id) => !summaries.byCheck.has(id)) : summaries.byCheck.size === 0 && ids.length > 0 && !timedOut
  if ((missing && !begun.current && summaries.problem === null) || !settled(statuses) || !settled(types) || mayWrite === undefined)
    return <Waiting />
  begun.current = true
  const hasCertificates = entries.some(({ certificate }) => certificate !== null)
  return (
    <>
      <div class="view-head">
        <h1>Checks</h1>
        <Counts entries={entries} state={state} route={route} />
        <span class="actions">
          {mayWrite && (
            <RouteLink class="quiet-button" href="/new">
              New check
            </RouteLink>
          )}
          {mayWrite && (
            <button type="button" class="quiet-button" aria-pressed={selection !== null} onClick={() => setOpen(selection === null)}>
              Select
            </button>
          )}
          <ExportButton of="Checks" exported={() => listExport({ ...paths, entries: shown.entries, total: checks.length, now })} />
        </span>
      </div>
      <Filters route={route} state={state} checks={checks} labels={labels} hasCertificates={hasCertificates} />
      <Problems of={[statuses, types, summaries]} />
      <FaultyChecks checks={faulty} />
      {selection && (
        <SelectionBar selection={selection} shown={shownIds} nameOf={(id) => checks.find((check) => check.id === id)?.name ?? id} />
      )}
      {all.length === 0 ? (
        <Notice title="No checks match these filters.">
          <button type="button" onClick={() => navigate('/')}>
            Show all {checks.length}
          </button>
        </Notice>
      ) : (
        <ChecksTable
          entries={shown.entries}
          busy={summaries.loading}
          failed={summaries.problem !== null}
          hasCertificates={hasCertificates}
          selection={selection}
          state={state}
          route={route}
          now={now}
        />
      )}
      <footer class="view-foot">
        <span class="note">
          {all.length === checks.length ? plural(all.length, 'check') : `${all.length} of ${plural(checks.length, 'check')}`}
        </span>
        {mayWrite && <RouteLink href="/deleted">Deleted checks</RouteLink>}
        <Pager route={route} page={shown.page} pages={shown.pages} />
      </footer>
    </>
  )
}

function Waiting() {
  return <Skeleton lines={12} height={36} />
}

type Loadable = { readonly problem: Problem | null | undefined; retry(): void }

/** One request for the figures of one window and the hourly data of the same or another window. */
function summaryPath(window: TimeWindow, hoursOf: TimeWindow): string {
  const figures = windowParameters(window)
  const hours = windowParameters(hoursOf)
  const named = hours.map(([name, value]) => [`data${name.slice(0, 1).toUpperCase()}${name.slice(1)}`, value])
  const zone = figures.some(([name]) => name === 'timezone') ? [] : zoneParameters()
  const parameters = [...figures, ['aggregationInterval', '60'], ...zone, ...(figures.join() === hours.join() ? [] : named)]
  return `/v1/analytics/checks?${queryText(parameters)}`
}

/** Shows each distinct problem once. Retrying reloads everything with a problem. */
function Problems({ of }: { of: readonly Loadable[] }) {
  const failed = of.filter(({ problem }) => problem)
  const distinct = new Map(failed.map(({ problem }) => [problem?.message, problem]))
  const retry = () => {
    for (const one of failed) one.retry()
  }
  return [...distinct].map(([message, problem]) => <ProblemNotice key={message} of={{ problem, data: null, retry }} />)
}

function Counts({ entries, state, route }: { entries: readonly ListRow[]; state: ListState; route: Route }) {
  return (
    <p class="counts">
      {countsByState(entries, state).map(({ state: each, count }) => (
        <button
          key={each}
          type="button"
          class={`count state-${each}`}
          aria-pressed={state.status === each}
          onClick={() => navigate(withQuery(route, { status: state.status === each ? null : each, page: null }))}
        >
          <b>{count}</b> {each}
        </button>
      ))}
    </p>
  )
}
