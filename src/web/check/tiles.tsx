import type { Report, Row, Unit } from '../api/answers.ts'
import { loadReport, type ReportQuery } from '../api/report-query.ts'
import { type Resource, useResource } from '../api/use-resource.ts'
import { queryRequest } from '../api/windowed-query.ts'
import { ExportButton } from '../share/export-dialog.tsx'
import { reportExport } from '../share/exports.ts'
import { type Route, RouteLink } from '../state/route.tsx'
import { figure } from '../view/figures.ts'
import { Skeleton } from '../view/notice.tsx'
import { spanText } from '../view/time.tsx'
import { type Compared, comparedQuery, figureChange, hadNoRuns } from './compare.ts'
import { type PanelContext, panelQuery } from './panel.ts'
import { runsHref } from './runs.tsx'

type Tile = { readonly label: string; readonly metric: string; readonly unit: Unit }

/** Figures that come with availability, without being metrics. */
const counts = ['total', 'failed', 'downSeconds']

export function useTotals(context: PanelContext): Totals {
  const measured = tilesOf(context).map(({ metric }) => metric)
  const metrics = [...new Set(['availability', ...measured.filter((metric) => !counts.includes(metric))])]
  const query = { ...panelQuery(context, metrics, null), interval: null, calls: 1 }
  const totals = useResource(JSON.stringify(query), (api, signal) => loadReport(api, query, signal))
  const both = comparedQuery(context, metrics, null)
  const compared = useResource(both === null ? null : `compared ${JSON.stringify(both)}`, async (api, signal) =>
    both === null ? null : (await api.request<Compared>(queryRequest(both), signal)).data,
  )
  return { ...totals, query, compared: compared.data ?? null }
}

/** Runs of the window, in total and successful; undefined until loaded. */
export function runsOf(totals: Report | undefined): { readonly total: number; readonly success: number } | undefined {
  if (totals === undefined) return undefined
  const { total = 0, success = 0 } = totals.series[0]?.data[0] ?? {}
  return { total: Number(total), success: Number(success) }
}

type Totals = Resource<Report> & { readonly query: ReportQuery; readonly compared: Compared | null }

export function Tiles({ context, totals, route }: { readonly context: PanelContext; readonly totals: Totals; readonly route: Route }) {
  const { data, problem, loading, retry, query, compared } = totals
  const tiles = tilesOf(context)
  const row = data?.series[0]?.data[0]
  const value = ({ metric, unit }: Tile) =>
    row === undefined && problem === undefined ? <Skeleton /> : figure(tileValue(row, metric), unit)
  const isComparable = compared !== null && (context.state.status !== null || !hadNoRuns(compared))
  const change = (tile: Tile) => <TileChange tile={tile} compared={isComparable ? compared : null} />
  return (
    <section class={`tiles headline ${loading && data !== undefined ? 'loading' : ''}`} aria-label="The whole window" aria-busy={loading}>
      <dl>
        {tiles.map((tile) =>
          tile.metric === 'failed' && tileValue(row, 'failed') ? (
            <div key={tile.metric} class="tile tile-failed">
              <dt>{tile.label}</dt>
              <dd>
                <RouteLink href={runsHref(route, { filterByStatus: 'failure' })}>{value(tile)}</RouteLink>
              </dd>
              {change(tile)}
            </div>
          ) : (
            <div key={tile.metric} class="tile">
              <dt>{tile.label}</dt>
              <dd>{value(tile)}</dd>
              {change(tile)}
            </div>
          ),
        )}
      </dl>
      <p class="tiles-window">
        <span class="note" title={data && `${data.from} – ${data.to}`}>
          {data && spanText(Date.parse(data.from), Date.parse(data.to))}
        </span>
        <ExportButton of="The whole window" exported={data && (() => reportExport(query, data))} />
        {problem !== undefined && !problem.isOffline && (
          <button type="button" class="quiet-button" title={problem.message} onClick={retry}>
            Try again
          </button>
        )}
      </p>
    </section>
  )
}

function TileChange({ tile, compared }: { tile: Tile; compared: Compared | null }) {
  const row = compared?.series[0]?.data[0]
  const figureOf = { ...tile, value: (of: Row) => tileValue(of, tile.metric) }
  const change = row === undefined ? null : figureChange(figureOf, row)
  if (compared === null || change === null) return <dd class="tile-change" />
  const window = spanText(Date.parse(compared.compared.from), Date.parse(compared.compared.to))
  return (
    <dd class={`tile-change change-${change.verdict}`} title={`${change.sentence} (${window})`}>
      {change.short}
      <span class="unseen">: {change.sentence}</span>
    </dd>
  )
}

/** With a status filter, availability and failures would be meaningless. */
function tilesOf({ checkType: { duration }, state: { status, by } }: PanelContext): Tile[] {
  const times =
    duration === null
      ? []
      : ['p50', 'p95', 'p99'].map((name): Tile => ({ label: name, metric: `${duration}_${name}`, unit: 'milliseconds' }))
  const retries: Tile = { label: 'Retries', metric: 'retries', unit: 'count' }
  if (status !== null) return [{ label: `Runs: ${status.toLowerCase()}`, metric: 'total', unit: 'count' }, ...times, retries]
  return [
    { label: by === 'time' ? 'Availability by time' : 'Availability', metric: 'availability', unit: 'percentage' },
    ...(by === 'time' ? [{ label: 'Down', metric: 'downSeconds', unit: 'milliseconds' as const }] : []),
    ...times,
    { label: 'Runs', metric: 'total', unit: 'count' },
    { label: 'Failed', metric: 'failed', unit: 'count' },
    retries,
  ]
}

function tileValue(row: Row | undefined, metric: string): number | null {
  if (metric === 'downSeconds') return row === undefined ? null : Number(row.downSeconds) * 1000
  const value = metric === 'failed' ? Number(row?.total) - Number(row?.success) : row?.[metric]
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}
