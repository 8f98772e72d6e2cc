import { grouped } from '../../collections/lists.ts'
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
/** The API's maximum number of ids per query. */
const idsPerCall = 1000

/** The combined availability of the checks of each tag. */
export async function loadFigures(api: Api, { window, interval, untagged }: Question, signal: AbortSignal): Promise<FiguresByTag> {
  const body = availabilityBody(window, interval)
  const [tagged, others] = await Promise.all([askAll(api, { ...body, groupBy: ['tag'] }, signal), askTogether(api, body, untagged, signal)])
  return new Map<string | null, readonly Row[]>([...grouped(tagged, ({ tag }) => String(tag)), [null, others]])
}

export async function loadCheckDays(
  api: Api,
  checkId: string,
  { window }: Pick<Question, 'window'>,
  signal: AbortSignal,
): Promise<readonly Row[]> {
  return askAll(api, { ...availabilityBody(window, 'day'), checks: { ids: [checkId] } }, signal)
}

/** The rows of these checks together. */
async function askTogether(api: Api, body: object, ids: readonly string[], signal: AbortSignal): Promise<readonly Row[]> {
  const answers: (readonly Row[])[] = []
  for (let start = 0; start < ids.length; start += idsPerCall)
    answers.push(await askAll(api, { ...body, checks: { ids: ids.slice(start, start + idsPerCall) } }, signal))
  return answers.length > 1 ? addedRows(answers.flat()) : answers.flat()
}

/** Adds rows of the same period. */
function addedRows(rows: readonly Row[]): readonly Row[] {
  return [...grouped(rows, ({ period }) => period).values()].map((same) => {
    const sumOf = (count: 'total' | 'success') => same.reduce((sum, row) => sum + Number(row[count]), 0)
    const [total, success] = [sumOf('total'), sumOf('success')]
    return { ...same[0], total, success, availability: total === 0 ? null : (success / total) * 100 }
  })
}

function availabilityBody(window: TimeWindow, interval: 'day' | undefined): object {
  const days = interval === undefined ? {} : { aggregationInterval: interval, timezone: readerZone() }
  return { metrics: ['availability'], ...Object.fromEntries(windowParameters(window)), limit: rowsPerCall, ...days }
}

async function askAll(api: Api, body: object, signal: AbortSignal): Promise<Row[]> {
  const rows: Row[] = []
  let cursor: string | null = null
  do {
    const asked: object = cursor === null ? body : { ...body, cursor }
    const { data }: { data: Answer } = await api.request<Answer>({ path: '/v1/analytics/query', body: asked }, signal)
    rows.push(...data.series.flatMap((entry) => entry.data))
    cursor = data.pagination.next
  } while (cursor !== null)
  return rows
}
