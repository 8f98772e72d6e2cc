import type { BucketWidth } from '../../analytics/window.ts'
import type { Zone } from '../../calendar/zone.ts'
import type { Answer, Question } from '../../client/index.ts'
import { ask, asTyped } from '../remote/api-client.ts'
import type { Remote } from '../remote/remote.ts'
import { type FetchedRow, type FetchedValue, joinedSeries, type ReportBody } from './fetch-report.ts'

/** Some options are only valid for many checks. */
export type ManyChecksOptions = {
  readonly metrics: readonly string[]
  readonly range?: string
  readonly from?: string
  readonly to?: string
  readonly timezone?: Zone
  readonly groupBy?: readonly string[]
  readonly every?: BucketWidth
  readonly filter?: string
  readonly limit?: string
  readonly tag?: readonly string[]
  readonly type?: readonly string[]
  readonly compare?: string
  readonly confidence?: number
  readonly orderBy?: string
}

type QueryBody = ReportBody &
  Pick<Answer, 'checks' | 'timezone' | 'pagination'> & { readonly compared?: { readonly from: string; readonly to: string } }

const maxRowsPerPage = 1000
const maxPages = 10

/**
 * Queries many checks, with up to 10,000 rows of each series or groups, or with `limit` one page. Rows of the compared period become
 * additional columns.
 */
export async function fetchQuery(remote: Remote, options: ManyChecksOptions): Promise<{ readonly body: QueryBody; readonly json: string }> {
  const body = await ask(remote, async (client) => {
    const pages: QueryBody[] = []
    const wantedPages = options.limit === undefined ? maxPages : 1
    for await (const page of client.queryPages(questionOf(options))) {
      pages.push(page as QueryBody)
      if (pages.length === wantedPages) break
    }
    const [first] = pages as [QueryBody, ...QueryBody[]]
    return { ...first, series: joinedSeries(pages), pagination: { ...first.pagination, ...pages.at(-1)?.pagination } }
  })
  const json = JSON.stringify(body)
  return { body: { ...body, series: body.series.map((series) => ({ ...series, data: series.data.map(flat) })) }, json }
}

export function queryTitle({ checks, compared }: QueryBody): string {
  return `${checks} ${checks === 1 ? 'check' : 'checks'}${compared ? `, compared with ${compared.from} to ${compared.to}` : ''}`
}

function questionOf(options: ManyChecksOptions): Question {
  const { metrics, range, from, to, timezone, groupBy, every, filter, limit, tag, type, compare, confidence, orderBy } = options
  return asTyped<Question>({
    checks: { tags: tag, checkTypes: type },
    metrics,
    quickRange: range,
    from,
    to,
    timezone: timezone?.name,
    aggregationInterval: every,
    groupBy,
    filter: filter === undefined ? undefined : { status: filter.split(',') },
    limit: limit === undefined ? maxRowsPerPage : Number(limit),
    compare,
    confidence,
    orderBy: orderBy === undefined ? undefined : { metric: orderBy },
  })
}

const keys = ['period', 'check', 'name', 'tag', 'checkType', 'runLocation', 'statusCode', 'hourOfDay', 'dayOfWeek']

/** Adds the figures of the compared period as columns such as `duration_p95 before`. */
function flat({ previous, ...row }: FetchedRow & { readonly previous?: FetchedValue | FetchedRow }): FetchedRow {
  if (previous === undefined) return row
  const before = typeof previous === 'object' && previous !== null ? Object.entries(previous) : []
  return { ...row, ...Object.fromEntries(before.flatMap(([name, value]) => (keys.includes(name) ? [] : [[`${name} before`, value]]))) }
}
