import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { Report } from '../api/answers.ts'
import { loadReport } from '../api/report-query.ts'
import { useResource } from '../api/use-resource.ts'
import { queryRequest, type WindowedQuery } from '../api/windowed-query.ts'
import { Chart, type Hiding, type Zooming } from '../chart/chart.tsx'
import { Legend } from '../chart/legend.tsx'
import type { Drawing, Shade } from '../chart/line.ts'
import { ExportButton } from '../share/export-dialog.tsx'
import { reportExport } from '../share/exports.ts'
import { reportRows, type TableRows } from '../share/rows.ts'
import { hiddenChange, hiddenLines, isTable, tableChange } from '../state/panel-choices.ts'
import { navigate, useRoute, withQuery } from '../state/route.tsx'
import { Notice, ProblemNotice, Skeleton } from '../view/notice.tsx'
import { type ColumnFormat, instantsOf, RowsTable } from '../view/rows-table.tsx'
import { headWithZone } from '../view/time.tsx'
import { useSeen } from '../view/use-seen.ts'
import { type Compared, withLineBefore } from './compare.ts'
import type { EmptyText } from './empty-text.ts'
import type { Panel } from './panel.ts'

type PanelViewProps = {
  readonly panel: Panel
  readonly shades: readonly Shade[]
  /** The drawing as far as it is known before the response. */
  readonly expected: Drawing
  readonly empty: EmptyText
  /** Asks for the line of the compared window; null for none. */
  readonly before: WindowedQuery | null
  /** Shown next to the title. */
  readonly control: ComponentChildren
} & Zooming

/** A chart with its table and export, loaded when it becomes visible. */
export function PanelView({ panel, shades, expected, empty, before, control, ...zooming }: PanelViewProps) {
  const route = useRoute()
  const asTable = isTable(route.query, panel.id)
  const choose = (changes: Record<string, string | null>) => navigate(withQuery(route, changes), 'replace')
  const hidden = useMemo(() => hiddenLines(route.query, panel.id), [route.query.get('hidden'), panel.id])
  const hiding = { hidden, onToggle: (label: string) => choose(hiddenChange(route.query, panel.id, label)) }
  const [place, seen] = useSeen<HTMLElement>()
  const resource = useResource(seen ? JSON.stringify([panel.query, before]) : null, async (api, signal) => {
    const [report, compared] = await Promise.all([
      loadReport(api, panel.query, signal),
      before === null ? null : api.request<Compared>(queryRequest(before), signal).then(({ data }) => data),
    ])
    return { report, compared, panel }
  })
  const { data, problem, loading } = resource
  const name = `panel ${panel.small ? 'panel-small' : ''} ${loading ? 'loading' : ''}`
  return (
    <section ref={place} class={name} aria-busy={loading} data-panel={panel.id}>
      <header>
        <h2>{panel.title}</h2>
        <span class="note">{panel.note}</span>
        <span class="actions">
          {control}
          <button
            type="button"
            class="quiet-button"
            aria-pressed={asTable}
            disabled={data === undefined}
            onClick={() => choose(tableChange(route.query, panel.id))}
          >
            Table
          </button>
          <ExportButton of={panel.title} exported={data && (() => reportExport(data.panel.query, data.report))} />
        </span>
      </header>
      <ProblemNotice of={resource} />
      {data === undefined && problem === undefined && (
        <ChartFrame drawing={{ ...expected, shades }} height={panel.height}>
          {seen ? <Skeleton height={panel.height} /> : <div class="unloaded" />}
        </ChartFrame>
      )}
      {data !== undefined &&
        (asTable ? <Numbers report={data.report} panel={data.panel} /> : <Picture {...data} {...{ shades, empty, hiding }} {...zooming} />)}
    </section>
  )
}

type PictureProps = Pick<PanelViewProps, 'panel' | 'shades' | 'empty'> &
  Zooming & { readonly report: Report; readonly compared: Compared | null; readonly hiding: Hiding }

function Picture({ report, compared, panel, shades, empty, hiding, ...zooming }: PictureProps) {
  const drawing = useMemo(() => {
    const drawn = { ...panel.draw(report), shades }
    return compared === null || panel.before === undefined ? drawn : withLineBefore(drawn, compared, panel.before)
  }, [report, compared, shades])
  if (drawing.lines.every(({ values }) => values.every((value) => value === null))) {
    return (
      <ChartFrame drawing={drawing} height={panel.height}>
        <Notice title={empty.title}>{empty.advice}</Notice>
      </ChartFrame>
    )
  }
  return <Chart title={panel.title} drawing={drawing} height={panel.height} hiding={hiding} {...zooming} />
}

function Numbers({ report, panel }: { report: Report; panel: Panel }) {
  const rows = reportRows(report)
  return <RowsTable caption={`${panel.title}, as numbers`} rows={rows} formats={columnFormats(report, rows)} />
}

function columnFormats({ metadata }: Report, rows: TableRows): ReadonlyMap<string, ColumnFormat> {
  return new Map([
    ['period', { label: headWithZone('Period', instantsOf(rows)), unit: 'count' }],
    ...Object.entries(metadata).map(([name, { label, aggregation, unit }]): [string, ColumnFormat] => [
      name,
      { label: aggregation === undefined ? label : `${label}, ${aggregation}`, unit },
    ]),
  ])
}

type ChartFrameProps = { readonly drawing: Drawing; readonly height: number; readonly children: ComponentChildren }

const nothingHidden: ReadonlySet<string> = new Set()

/** Reserves the space of a chart and its legend, so that nothing moves when the chart arrives. */
function ChartFrame({ drawing, height, children }: ChartFrameProps) {
  return (
    <div class="chart">
      <div class="chart-frame" style={{ height: `${height}px` }}>
        {children}
      </div>
      <div class="chart-frame-legend" aria-hidden="true">
        <Legend drawing={drawing} at={null} hidden={nothingHidden} onToggle={() => {}} />
      </div>
    </div>
  )
}
