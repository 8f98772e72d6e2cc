import type { Report, Row } from '../api/answers.ts'
import type { Api } from '../api/client.ts'
import { type TimeWindow, windowParameters } from '../state/window.ts'
import { readerZone } from '../state/zone.ts'

/** The rows of each tag; the key null has those of checks without tags. */
export type FiguresByTag = ReadonlyMap<string | null, readonly Row[]>

type Question = {
  readonly window: TimeWindow
  readonly interval?: 'day'
  readonly untagged: readonly string[]
}

type Answer = Pick<Report, 'series'> & { readonly pagination: { readonly next: string | null } }

const rowsPerCall = 1000
const mostCalls = 20

/** The combined availability of the checks of each tag. */
export async function loadFigures(api: Api, { window, interval, untagged }: Question, signal: AbortSignal): Promise<FiguresByTag> {
  const body = availabilityBody(window, interval)
  const [tagged, others] = await Promise.all([
    askAll(api, { ...body, groupBy: ['tag'] }, signal),
    untagged.length === 0 ? [] : askAll(api, { ...body, checks: { ids: untagged } }, signal),
  ])
  const byTag = new Map<string | null, Row[]>()
  for (const row of tagged) byTag.set(String(row.tag), [...(byTag.get(String(row.tag)) ?? []), row])
  return byTag.set(null, others)
}

export async function loadCheckDays(
  api: Api,
  checkId: string,
  { window }: Pick<Question, 'window'>,
  signal: AbortSignal,
): Promise<readonly Row[]> {
  return askAll(api, { ...availabilityBody(window, 'day'), checks: { ids: [checkId] } }, signal)
}

function availabilityBody(window: TimeWindow, interval: 'day' | undefined): object {
  const days = interval === undefined ? {} : { aggregationInterval: interval, timezone: readerZone() }
  return { metrics: ['availability'], ...Object.fromEntries(windowParameters(window)), limit: rowsPerCall, ...days }
}

async function askAll(api: Api, body: object, signal: AbortSignal): Promise<Row[]> {
  const rows: Row[] = []
  let cursor: string | null = null
  for (let call = 0; call < mostCalls; call++) {
    const asked: object = cursor === null ? body : { ...body, cursor }
    const { data }: { data: Answer } = await api.request<Answer>({ path: '/v1/analytics/query', body: asked }, signal)
    rows.push(...data.series.flatMap((entry) => entry.data))
    cursor = data.pagination.next
    if (cursor === null) break
  }
  return rows
}
