import type { Report } from '../api/answers.ts'
import type { ApiRequest } from '../api/client.ts'
import { queryPath, type ReportQuery, withWindowOf } from '../api/report-query.ts'
import { isNamed } from '../state/window.ts'
import { reportRows, type TableRows } from './rows.ts'

/** The data of a view, for use elsewhere. */
export type Exported = {
  /** The base name of a file. */
  readonly name: string
  /** The requests for exactly this data. */
  readonly exact: readonly ApiRequest[]
  /** The same requests for a rolling window; null where the window is fixed or the API has no name for it. */
  readonly rolling: readonly ApiRequest[] | null
  readonly rows: TableRows
  /** The requests are answered with the rows as CSV, which may be too many for the page: `rows` are empty. */
  readonly wholeCsv?: boolean
  /** What to know of the requests, where they do not answer everything. */
  readonly note?: string
  /** The JSONata path of the rows in an answer. */
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
