import type { BucketWidth } from '../../analytics/window.ts'
import type { Zone } from '../../calendar/zone.ts'
import type { Answer, Question } from '../../client/index.ts'
import { ask, asTyped } from '../remote/api-client.ts'
import type { Remote } from '../remote/remote.ts'
import type { FetchedRow, FetchedValue, ReportBody } from './fetch-report.ts'

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

const maxRows = 1000

/** Queries many checks in one request. Rows of the compared period become additional columns. */
export async function fetchQuery(remote: Remote, options: ManyChecksOptions): Promise<{ readonly body: QueryBody; readonly json: string }> {
  const question = { body: questionOf(options), parseAs: 'text' } as const
  const { data: json } = await ask(remote, (client) => client.POST('/v1/analytics/query', question))
  const body = JSON.parse(json) as QueryBody
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
    limit: limit === undefined ? maxRows : Number(limit),
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
