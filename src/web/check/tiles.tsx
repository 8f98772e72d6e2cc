import type { Report, Row, Unit } from '../api/answers.ts'
import { loadReport, type ReportQuery } from '../api/report-query.ts'
import { type Resource, useResource } from '../api/use-resource.ts'
import { ExportButton } from '../share/export-dialog.tsx'
import { reportExport } from '../share/exports.ts'
import { type Route, RouteLink } from '../state/route.tsx'
import { figure } from '../view/figures.ts'
import { Skeleton } from '../view/notice.tsx'
import { spanText } from '../view/time.tsx'
import { type PanelContext, panelQuery } from './panel.ts'
import { runsHref } from './runs.tsx'

type Tile = { readonly label: string; readonly metric: string; readonly unit: Unit }

/** What comes with availability, under no name of a metric. */
const counts = ['total', 'failed']

/** The figures of the whole window. */
export function useTotals(context: PanelContext): Totals {
  const measured = tilesOf(context).map(({ metric }) => metric)
  const metrics = [...new Set(['availability', ...measured.filter((metric) => !counts.includes(metric))])]
  const query = { ...panelQuery(context, metrics, null), interval: null, calls: 1 }
  return { ...useResource(JSON.stringify(query), (api, signal) => loadReport(api, query, signal)), query }
}

/** How many runs the window has, and how many of them did not fail; undefined until they are counted. */
export function runsOf(totals: Report | undefined): { readonly total: number; readonly success: number } | undefined {
  if (totals === undefined) return undefined
  const { total = 0, success = 0 } = totals.series[0]?.data[0] ?? {}
  return { total: Number(total), success: Number(success) }
}

type Totals = Resource<Report> & { readonly query: ReportQuery }

/** The window as a whole, in a few figures. */
export function Tiles({ context, totals, route }: { readonly context: PanelContext; readonly totals: Totals; readonly route: Route }) {
  const { data, problem, loading, retry, query } = totals
  const tiles = tilesOf(context)
  const row = data?.series[0]?.data[0]
  const value = ({ metric, unit }: Tile) =>
    row === undefined && problem === undefined ? <Skeleton /> : figure(tileValue(row, metric), unit)
  return (
    <section class={`tiles ${loading && data !== undefined ? 'loading' : ''}`} aria-label="The whole window" aria-busy={loading}>
      <dl>
        {tiles.map((tile) =>
          tile.metric === 'failed' && tileValue(row, 'failed') ? (
            <div key={tile.metric} class="tile tile-failed">
              <dt>{tile.label}</dt>
              <dd>
                <RouteLink href={runsHref(route, { filterByStatus: 'failure' })}>{value(tile)}</RouteLink>
              </dd>
            </div>
          ) : (
            <div key={tile.metric} class="tile">
              <dt>{tile.label}</dt>
              <dd>{value(tile)}</dd>
            </div>
          ),
        )}
      </dl>
      <p class="tiles-window">
        <span class="note" title={data && `${data.from} – ${data.to}`}>
          {data && spanText(Date.parse(data.from), Date.parse(data.to))}
        </span>
        <ExportButton of="The whole window" exported={data && (() => reportExport(query, data))} />
        {problem !== undefined && (
          <button type="button" class="quiet-button" title={problem.message} onClick={retry}>
            Try again
          </button>
        )}
      </p>
    </section>
  )
}

/** Among runs of one status, availability and failures would say nothing. */
function tilesOf({ checkType: { duration }, state: { status } }: PanelContext): Tile[] {
  const times =
    duration === null
      ? []
      : ['p50', 'p95', 'p99'].map((name): Tile => ({ label: name, metric: `${duration}_${name}`, unit: 'milliseconds' }))
  const retries: Tile = { label: 'Retries', metric: 'retries', unit: 'count' }
  if (status !== null) return [{ label: `Runs: ${status.toLowerCase()}`, metric: 'total', unit: 'count' }, ...times, retries]
  return [
    { label: 'Availability', metric: 'availability', unit: 'percentage' },
    ...times,
    { label: 'Runs', metric: 'total', unit: 'count' },
    { label: 'Failed', metric: 'failed', unit: 'count' },
    retries,
  ]
}

function tileValue(row: Row | undefined, metric: string): number | null {
  const value = metric === 'failed' ? Number(row?.total) - Number(row?.success) : row?.[metric]
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}
