import type { CheckType } from '../../checks/define.ts'
import type { ReportPath, Schemas } from '../../client/index.ts'
import { ask, asTyped } from '../remote/api-client.ts'
import type { Remote } from '../remote/remote.ts'

type GeneratedReport = Schemas['Report']
export type FetchedRow = Readonly<GeneratedReport['series'][number]['data'][number]>
export type FetchedValue = FetchedRow[string]
export type FetchedSeries = { readonly data: readonly FetchedRow[] } & Readonly<Record<string, FetchedValue | readonly FetchedRow[]>>
export type ReportBody = Pick<GeneratedReport, 'from' | 'to'> & {
  readonly series: readonly FetchedSeries[]
  readonly metadata: Readonly<Record<string, Pick<GeneratedReport['metadata'][string], 'unit'>>>
}
type AllPages = { readonly report: ReportBody; readonly truncated: boolean }

/** A report of one check: endpoint, id, and parameters as the user typed them. */
export type ReportRequest = { readonly checkType: CheckType; readonly id: string; readonly query: Readonly<Record<string, unknown>> }

const maxPages = 100

/** The unparsed response of the server. */
export async function fetchReport(remote: Remote, request: ReportRequest): Promise<string> {
  const { data } = await ask(remote, (client) => client.GET(pathOf(request), { params: paramsOf(request), parseAs: 'text' }))
  return data
}

/** Fetches all pages, up to 10,000 rows per series. */
export async function fetchAllPages(remote: Remote, request: ReportRequest): Promise<AllPages> {
  return ask(remote, async (client) => {
    const pages: ReportBody[] = []
    for await (const page of client.pages(pathOf(request), { params: paramsOf(request) })) {
      if (pages.length === maxPages) return { report: joined(pages), truncated: page.series.some(({ data }) => data.length > 0) }
      pages.push(page as ReportBody)
    }
    return { report: joined(pages), truncated: false }
  })
}

/** Every check type has an analytics endpoint, which the type system cannot infer from the path. */
const pathOf = ({ checkType: { path } }: ReportRequest) => `/v1/analytics/${path}/{id}` as ReportPath

/** `metrics` is typed as that of one type, which stands in for any: the server rejects metrics of other types. */
const paramsOf = ({ id, query }: ReportRequest) => ({ path: { id }, query: asTyped<{ metrics: 'availability'[] }>(query) })

const joined = (pages: readonly ReportBody[]): ReportBody => ({ ...(pages[0] as ReportBody), series: joinedSeries(pages) })

/** The series of several pages of a report, each with the rows of all pages. */
export function joinedSeries(pages: readonly Pick<ReportBody, 'series'>[]): readonly FetchedSeries[] {
  const series = new Map<string, FetchedSeries>()
  for (const page of pages) for (const part of page.series) join(series, part)
  return [...series.values()]
}

function join(whole: Map<string, FetchedSeries>, part: FetchedSeries): void {
  const { data, ...group } = part
  const key = JSON.stringify(group)
  whole.set(key, { ...part, data: [...(whole.get(key)?.data ?? []), ...data] })
}
