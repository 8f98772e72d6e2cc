import { useEffect, useRef } from 'preact/hooks'
import type { CheckType, Metric, RunResult, State } from '../api/answers.ts'
import { useResource } from '../api/use-resource.ts'
import { RunLink } from '../run/run-link.tsx'
import { ExportButton } from '../share/export-dialog.tsx'
import type { Exported } from '../share/exports.ts'
import { navigate, type Route, RouteLink, withQuery } from '../state/route.tsx'
import { endsOf } from '../state/window.ts'
import { figure } from '../view/figures.ts'
import { Notice, ProblemNotice, Skeleton } from '../view/notice.tsx'
import { Pager } from '../view/pager.tsx'
import { StateMark } from '../view/state.tsx'
import { headWithZone, sharedZoneText, Time } from '../view/time.tsx'
import { wordsOf } from '../view/words.ts'
import type { CheckViewState } from './check-options.ts'
import { emptyRuns } from './empty-text.ts'
import type { PanelContext } from './panel.ts'
import { repeatsError } from './repeated-errors.ts'

const runsPerPage = 25

type RunsProps = { readonly context: PanelContext; readonly route: Route; readonly now: number }

/** Every run of the window, newest first. */
export function RunsPanel({ context, route, now }: RunsProps) {
  const { state } = context
  const { window, status, location: at, page } = state
  const runs = useResource(`runs ${JSON.stringify([context.check.id, window, status, at, page])}`, async (api, signal) => {
    return (await api.request<RunResult[]>({ path: runsPath(context, now) }, signal)).data
  })
  const { data, problem, loading } = runs
  const none = emptyRuns(page)
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    if (location.hash === `#${runsId}`) section.current?.scrollIntoView()
  }, [data === undefined])
  return (
    <section ref={section} id={runsId} class={`panel runs ${loading ? 'loading' : ''}`} aria-busy={loading} data-panel="runs">
      <header>
        <h2>Runs</h2>
        <span class="note">newest first{otherStatus(state) ? ', of every status' : ''}</span>
        <span class="actions">
          <LocationFilter context={context} route={route} runs={data ?? []} />
          <ExportButton of="Runs" exported={() => runsExport(context, now)} />
        </span>
      </header>
      <ProblemNotice of={runs} />
      {data === undefined && problem === undefined && <Skeleton lines={8} height={28} />}
      {data !== undefined &&
        (data.length === 0 ? <Notice title={none.title}>{none.advice}</Notice> : <RunsTable runs={data} context={context} route={route} />)}
      <Pager stays route={route} page={state.page} more={data?.length === runsPerPage} />
    </section>
  )
}

const runsId = 'runs'

/** The URL of a view's runs with a changed query. */
export function runsHref(route: Pick<Route, 'path' | 'query'>, changes: Readonly<Record<string, string | null>>): string {
  return `${withQuery(route, { page: null, ...changes })}#${runsId}`
}

function LocationFilter({ context: { check, state }, route, runs }: { context: PanelContext; route: Route; runs: readonly RunResult[] }) {
  const locations = [
    ...new Set([...check.locations, ...runs.map(({ runLocation }) => runLocation), ...(state.location ? [state.location] : [])]),
  ].sort()
  if (locations.length < 2) return null
  return (
    <select
      class="quiet-select"
      aria-label="Location of the runs"
      value={state.location ?? ''}
      onChange={(event) => navigate(withQuery(route, { location: event.currentTarget.value, page: null }))}
    >
      <option value="">All locations</option>
      {locations.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  )
}

function runsPath(context: PanelContext, now: number): string {
  const { check, state } = context
  return `/v1/check-results/${check.id}?${runsFilter(context, now)}&limit=${runsPerPage}&page=${state.page}`
}

/**
 * The window in whole seconds, with the status and location filter. A window up to now has no end: the reader's clock may be behind the server's.
 */
export function runsFilter({ state }: Pick<PanelContext, 'state'>, now: number): string {
  const { from, to } = runsWindow(state, now)
  return [`from=${from}`, ...(endsOf(state.window, now).to < now ? [`to=${to}`] : []), ...runsSelection(state)].join('&')
}

function runsWindow({ window }: CheckViewState, now: number): { from: number; to: number } {
  const { from, to } = endsOf(window, now)
  return { from: Math.floor(from / 1000), to: Math.floor(to / 1000) + 1 }
}

function runsSelection({ status, location }: CheckViewState): string[] {
  const failures = status === 'failure' ? ['hasFailures=true'] : status === 'success' ? ['hasFailures=false'] : []
  return [...failures, ...(location === null ? [] : [`location=${encodeURIComponent(location)}`])]
}

/** The results endpoint supports only the filter by failure. */
function otherStatus({ status }: CheckViewState): boolean {
  return status !== null && status !== 'failure' && status !== 'success'
}

function RunsTable({ runs, context: { check, checkType }, route }: { runs: readonly RunResult[]; context: PanelContext; route: Route }) {
  const shown = checkType.metrics.filter(({ perPage }) => !perPage).slice(0, 6)
  const fields = checkType.groupBy.filter(({ by }) => by === 'field').map(({ name }) => name)
  const starts = runs.map(({ startedAt }) => Date.parse(startedAt))
  const namesZone = sharedZoneText(starts) === null
  const hasLocations = checkType.groupBy.some(({ by }) => by === 'location')
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="rows-table" tabIndex={0} aria-label="Runs">
      <table>
        <thead>
          <tr>
            <th scope="col">{headWithZone('Started', starts)}</th>
            <th scope="col" class="result">
              <span>Result</span>
            </th>
            {hasLocations && <th scope="col">Location</th>}
            {fields.map((name) => (
              <th key={name} scope="col" class="number">
                {wordsOf(name)}
              </th>
            ))}
            {shown.map(({ name, label }) => (
              <th key={name} scope="col" class="number" title={name}>
                {label}
              </th>
            ))}
            <th scope="col" class="number">
              Attempts
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run, index) => (
            <RunRows
              key={run.id}
              checkId={check.id}
              repeated={repeatsError(runs, index)}
              {...{ run, shown, fields, hasLocations, checkType, route, namesZone }}
            />
          ))}
        </tbody>
      </table>
    </section>
  )
}

type RunRowsProps = {
  readonly checkId: string
  readonly run: RunResult
  readonly shown: readonly Metric[]
  /** Fields of the type in addition to metrics, such as the status code. */
  readonly fields: readonly string[]
  readonly hasLocations: boolean
  /** Whether the run above has the same error. */
  readonly repeated: boolean
  readonly checkType: CheckType
  readonly route: Route
  /** Whether clocks change between these runs, so that times need a zone. */
  readonly namesZone: boolean
}

/** A run, with its error below. */
function RunRows({ checkId, run, shown, fields, hasLocations, repeated, checkType, route, namesZone }: RunRowsProps) {
  const words = repeated ? '' : (run.error ?? '')
  const mark = run.hasFailures ? 'failed' : ''
  return (
    <>
      <tr class={words === '' ? mark : `${mark} unruled`}>
        <td>
          <RunLink checkId={checkId} run={run}>
            <Time at={Date.parse(run.startedAt)} zone={namesZone} />
          </RunLink>
        </td>
        <td>
          <StateMark state={runState(run)} word={outcomeWord(run)} />
          {repeated && (
            <span class="note" title={run.error ?? ''}>
              {' '}
              same error
            </span>
          )}
        </td>
        {hasLocations && (
          <td>
            <RouteLink stays class="plain-link" href={withQuery(route, { location: run.runLocation, page: null })}>
              {run.runLocation}
            </RouteLink>
          </td>
        )}
        {fields.map((name) => (
          <td key={name} class="number">
            {String(run[name] ?? '–')}
          </td>
        ))}
        {shown.map(({ name, unit }) => (
          <td key={name} class="number">
            {figure(measured(run, name, checkType), unit)}
          </td>
        ))}
        <td class="number">{run.attempts}</td>
      </tr>
      {words !== '' && (
        <tr class={mark}>
          <td class="reason" colSpan={shown.length + fields.length + (hasLocations ? 4 : 3)}>
            <div>{words}</div>
          </td>
        </tr>
      )}
    </>
  )
}

export function runState(run: RunResult): State {
  if (run.hasFailures) return 'failing'
  return run.isDegraded ? 'degraded' : 'passing'
}

/** The outcome of a run, for example `failed` instead of the state `failing`. Pings have words of their own, such as `late`. */
export function outcomeWord(run: RunResult): string {
  if (typeof run.state === 'string' && !run.hasFailures) return run.state.toLowerCase()
  if (run.hasFailures) return 'failed'
  return run.isDegraded ? 'degraded' : 'passed'
}

/** The value of a metric. For the duration, falls back to `responseTime`, which every result has. */
function measured(run: RunResult, name: string, { duration }: CheckType): number | null {
  const value = run[name] ?? (name === duration ? run.responseTime : null)
  return typeof value === 'number' ? value : null
}

/** Exports all runs of the window, not only those of the page. */
function runsExport({ check, state }: PanelContext, now: number): Exported {
  const { from, to } = runsWindow(state, now)
  const ends = [`from=${new Date(from * 1000).toISOString()}`, `to=${new Date(to * 1000 - 1).toISOString()}`]
  return {
    name: `${check.name} runs`,
    exact: [{ path: `/v1/check-results/${check.id}/export?${['format=csv', ...ends, ...runsSelection(state)].join('&')}` }],
    rolling: null,
    rows: [],
    wholeCsv: true,
    root: '',
  }
}
