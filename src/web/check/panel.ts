import type { Check, CheckType, Report } from '../api/answers.ts'
import type { ReportQuery } from '../api/report-query.ts'
import type { Drawing } from '../chart/line.ts'
import { endsOf } from '../state/window.ts'
import type { CheckViewState } from './check-options.ts'

/** One chart of a check: its query, and how to draw the report. */
export type Panel = {
  readonly id: string
  readonly title: string
  readonly note: string
  readonly query: ReportQuery
  readonly height: number
  readonly small?: boolean
  /** The figure to draw again for the compared window. */
  readonly before?: { readonly metric: string; readonly label: string }
  /** Set if availability can count either runs or time. */
  readonly counts?: true
  draw(report: Report): Drawing
}

/** The panel without values, with all lines known before the response. */
export function expectedDrawing(panel: Panel, { check, checkType, state }: PanelContext, now: number): Drawing {
  const { groupBy } = panel.query
  const byLocation = checkType.groupBy.find(({ name }) => name === groupBy)?.by === 'location'
  const groups = groupBy !== null && byLocation && check.locations.length > 0 ? check.locations : [null]
  const ends = endsOf(state.window, now)
  const [from, to] = [new Date(ends.from).toISOString(), new Date(ends.to).toISOString()]
  const series = groups.map((group) => ({ ...(groupBy !== null && { [groupBy]: group }), data: [{ period: from }] }))
  return panel.draw({ name: check.name, from, to, series, metadata: {} })
}

export type PanelContext = { readonly check: Check; readonly checkType: CheckType; readonly state: CheckViewState }

export function panelQuery({ check, checkType, state }: PanelContext, metrics: readonly string[], groupBy = state.groupBy): ReportQuery {
  return {
    endpoint: checkType.endpoint,
    checkId: check.id,
    metrics,
    window: state.window,
    interval: state.bucket,
    groupBy,
    status: state.status,
    by: metrics.includes('availability') ? state.by : 'runs',
    calls: state.calls,
  }
}
