import type { Report } from '../api/answers.ts'
import type { ApiRequest } from '../api/client.ts'
import { queryPath, type ReportQuery, withWindowOf } from '../api/report-query.ts'
import { isNamed } from '../state/window.ts'
import { reportRows, type TableRows } from './rows.ts'

/** The data of a view, for use elsewhere. */
export type Exported = {
  /** The file name without extension. */
  readonly name: string
  /** Requests for exactly this data. */
  readonly exact: readonly ApiRequest[]
  /** The same requests for a rolling window; null if the window is fixed or the API has no name for it. */
  readonly rolling: readonly ApiRequest[] | null
  readonly rows: TableRows
  /** The requests return the rows as CSV. There may be too many for the page, so `rows` is empty. */
  readonly wholeCsv?: boolean
  /** A hint if the requests do not return everything. */
  readonly note?: string
  /** The JSONata path of the rows in a response. */
  readonly root: string
}

export function reportExport(query: ReportQuery, report: Report): Exported {
  const pages = query.calls === 1 ? 1 : `[1-${query.calls}]`
  return {
    name: `${report.name} ${query.metrics.join(' ')}`,
    exact: [{ path: queryPath(withWindowOf(query, report), pages) }],
    rolling: isNamed(query.window) ? [{ path: queryPath(query, pages) }] : null,
    rows: reportRows(report),
    root: 'series.data',
  }
}
