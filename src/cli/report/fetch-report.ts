import type { CheckType } from '../../checks/define.ts'
import { get, okBody } from '../api-client.ts'
import type { Remote } from '../remote.ts'

export type Cell = string | number | boolean | null
export type Row = Readonly<Record<string, Cell>>
export type Series = { readonly data: readonly Row[] } & Readonly<Record<string, Cell | readonly Row[]>>
export type ReportBody = {
  readonly name: string
  readonly from: string
  readonly to: string
  readonly series: readonly Series[]
  readonly metadata: Readonly<Record<string, { readonly unit: string }>>
}
export type AllPages = { readonly report: ReportBody; readonly truncated: boolean }

const pageSize = 100
const maxPages = 100

export function analyticsPath({ path }: CheckType, id: string): string {
  return `/v1/analytics/${path}/${id}`
}

/** Fetches all pages, up to 10,000 rows per series. */
export async function fetchAllPages(remote: Remote, path: string, parameters: URLSearchParams): Promise<AllPages> {
  const first = await fetchPage(remote, path, parameters, 1)
  const series = new Map<string, Series>()
  let body = first
  for (let page = 1; ; page++) {
    for (const part of body.series) join(series, part)
    const truncated = page === maxPages
    if (truncated || !isFull(body)) return { report: { ...first, series: [...series.values()] }, truncated: truncated && isFull(body) }
    body = await fetchPage(remote, path, fixedWindow(parameters, first), page + 1)
  }
}

async function fetchPage(remote: Remote, path: string, parameters: URLSearchParams, page: number): Promise<ReportBody> {
  const paged = new URLSearchParams([...parameters, ['limit', String(pageSize)], ['page', String(page)]])
  return JSON.parse(okBody(await get(remote, path, paged))) as ReportBody
}

/** Fixes the window to that of the first page, so that later pages do not shift with time. */
function fixedWindow(parameters: URLSearchParams, { from, to }: ReportBody): URLSearchParams {
  return new URLSearchParams([
    ...[...parameters].filter(([name]) => !['quickRange', 'from', 'to'].includes(name)),
    ['from', from],
    ['to', to],
  ])
}

const isFull = ({ series }: ReportBody) => series.length >= pageSize || series.some(({ data }) => data.length >= pageSize)

function join(whole: Map<string, Series>, part: Series): void {
  const { data, ...group } = part
  const key = JSON.stringify(group)
  whole.set(key, { ...part, data: [...(whole.get(key)?.data ?? []), ...data] })
}
