import type { CheckType, Metric, Row, RunResult, State } from '../api/answers.ts'
import { useResource } from '../api/use-resource.ts'
import { RunLink } from '../run/run-link.tsx'
import { ExportButton } from '../share/export-dialog.tsx'
import type { Exported } from '../share/exports.ts'
import { rowsOf } from '../share/rows.ts'
import type { Route } from '../state/route.tsx'
import { endsOf } from '../state/window.ts'
import { figure } from '../view/figures.ts'
import { Notice, ProblemNotice, Skeleton } from '../view/notice.tsx'
import { Pager } from '../view/pager.tsx'
import { StateMark } from '../view/state.tsx'
import { Time, zoneText } from '../view/time.tsx'
import type { CheckState } from './check-state.ts'
import type { PanelContext } from './panel.ts'

const runsPerPage = 25

/** Every run of the window, newest first. */
export function Runs({ context, route, now }: { readonly context: PanelContext; readonly route: Route; readonly now: number }) {
  const path = runsPath(context, now)
  const runs = useResource(path, async (api, signal) => (await api.request<RunResult[]>({ path }, signal)).data)
  const { data, problem, loading } = runs
  return (
    <section class={`panel runs ${loading ? 'loading' : ''}`} aria-busy={loading} data-panel="runs">
      <header>
        <h2>Runs</h2>
        <span class="note">newest first{otherStatus(context.state) ? ', of every status' : ''}</span>
        <span class="actions">
          <ExportButton of="Runs" exported={data && (() => runsExport(context, path, data))} />
        </span>
      </header>
      <ProblemNotice of={runs} />
      {data === undefined && problem === undefined && <Skeleton lines={8} height={28} />}
      {data !== undefined && (data.length === 0 ? <Notice title="No runs here." /> : <RunsTable runs={data} context={context} />)}
      <Pager stays route={route} page={context.state.page} more={data?.length === runsPerPage} />
    </section>
  )
}

function runsPath({ check, state }: PanelContext, now: number): string {
  const { from, to } = endsOf(state.window, now)
  const failures = state.status === 'failure' ? '&hasFailures=true' : state.status === 'success' ? '&hasFailures=false' : ''
  const window = `from=${Math.floor(from / 1000)}&to=${Math.floor(to / 1000) + 1}`
  return `/v1/check-results/${check.id}?${window}${failures}&limit=${runsPerPage}&page=${state.page}`
}

/** The results endpoint filters by failure only. */
function otherStatus({ status }: CheckState): boolean {
  return status !== null && status !== 'failure' && status !== 'success'
}

function RunsTable({ runs, context: { check, checkType } }: { runs: readonly RunResult[]; context: PanelContext }) {
  const shown = checkType.metrics.filter(({ perPage }) => !perPage).slice(0, 6)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="rows-table" tabIndex={0} aria-label="Runs">
      <table>
        <thead>
          <tr>
            <th scope="col">Started, {zoneText(Date.now())}</th>
            <th scope="col" class="result">
              <span>Result</span>
            </th>
            <th scope="col">Location</th>
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
          {runs.map((run) => (
            <RunRows key={run.id} checkId={check.id} run={run} shown={shown} checkType={checkType} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

type RunRowsProps = { readonly checkId: string; readonly run: RunResult; readonly shown: readonly Metric[]; readonly checkType: CheckType }

/** A run, and below it its error. */
function RunRows({ checkId, run, shown, checkType }: RunRowsProps) {
  const words = run.error ?? ''
  const mark = run.hasFailures ? 'failed' : ''
  const detail = typeof run.state === 'string' ? run.state.toLowerCase() : ''
  return (
    <>
      <tr class={words === '' ? mark : `${mark} unruled`}>
        <td>
          <RunLink checkId={checkId} run={run}>
            <Time at={Date.parse(run.startedAt)} />
          </RunLink>
        </td>
        <td>
          <StateMark state={outcomeOf(run)} /> {detail !== outcomeOf(run) && <span class="note">{detail}</span>}
        </td>
        <td>{run.runLocation}</td>
        {shown.map(({ name, unit }) => (
          <td key={name} class="number">
            {figure(measured(run, name, checkType), unit)}
          </td>
        ))}
        <td class="number">{run.attempts}</td>
      </tr>
      {words !== '' && (
        <tr class={mark}>
          <td class="reason" colSpan={shown.length + 4}>
            <div>{words}</div>
          </td>
        </tr>
      )}
    </>
  )
}

export function outcomeOf(run: RunResult): State {
  if (run.hasFailures) return 'failing'
  return run.isDegraded ? 'degraded' : 'passing'
}

/** By its own name, or `responseTime`, which every result has. */
function measured(run: RunResult, name: string, { duration }: CheckType): number | null {
  const value = run[name] ?? (name === duration ? run.responseTime : null)
  return typeof value === 'number' ? value : null
}

function runsExport({ check }: PanelContext, path: string, runs: readonly RunResult[]): Exported {
  const rows = runs.map((run) => Object.fromEntries(Object.entries(run).map(([name, value]) => [name, flat(value)])))
  return { name: `${check.name} runs`, exact: [{ path }], rolling: null, rows: rowsOf(rows), root: '' }
}

function flat(value: unknown): Row[string] {
  if (value === null || typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string') return value
  return JSON.stringify(value)
}
