import type { Check, CheckType, Report } from '../api/answers.ts'
import type { ReportQuery } from '../api/report-query.ts'
import type { Drawing } from '../chart/line.ts'
import type { CheckState } from './check-state.ts'

/** One chart of a check: its query, and how the report is drawn. */
export type Panel = {
  readonly id: string
  readonly title: string
  readonly note: string
  readonly query: ReportQuery
  readonly height?: number
  readonly small?: boolean
  draw(report: Report): Drawing
}

export type PanelContext = { readonly check: Check; readonly checkType: CheckType; readonly state: CheckState }

export function panelQuery({ check, checkType, state }: PanelContext, metrics: readonly string[], groupBy = state.groupBy): ReportQuery {
  return {
    endpoint: checkType.endpoint,
    checkId: check.id,
    metrics,
    window: state.window,
    interval: state.bucket,
    groupBy,
    status: state.status,
    calls: state.calls,
  }
}
