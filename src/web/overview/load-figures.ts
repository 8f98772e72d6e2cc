import { grouped } from '../../collections/lists.ts'
import { dayMs } from '../../time.ts'
import type { Report, Row } from '../api/answers.ts'
import { type Api, Problem } from '../api/client.ts'
import { type TimeWindow, windowParameters } from '../state/window.ts'
import { readerZone } from '../state/zone.ts'
import { localNext, localStart } from '../state/zone-calendar.ts'

/** The rows of each tag; the key null has those of checks without tags. */
export type FiguresByTag = ReadonlyMap<string | null, readonly Row[]>

/** A window of whole days. The last one may be incomplete. */
export type Days = { readonly from: number; readonly to: number }

type Answer = Pick<Report, 'series'> & { readonly pagination: { readonly next: string | null } }

/** Asks for the availability of the checks in the body. */
type Ask = (body: object) => Promise<readonly Row[]>

const rowsPerCall = 1000
/** The API's maximum number of ids per query. */
const idsPerCall = 1000

/** The combined availability of the checks of each tag. */
export function loadFigures(
  api: Api,
  { window, untagged }: { readonly window: TimeWindow; readonly untagged: readonly string[] },
  signal: AbortSignal,
): Promise<FiguresByTag> {
  return figuresByTag(untagged, (body) => askAll(api, { ...availabilityBody(window), ...body }, signal))
}

/** The same by day. `tags` is the number of tags. */
export function loadDays(
  api: Api,
  { days, untagged, tags }: { readonly days: Days; readonly untagged: readonly string[]; readonly tags: number },
  signal: AbortSignal,
): Promise<FiguresByTag> {
  return figuresByTag(untagged, (body) =>
    askDays((part) => askAll(api, { ...dailyBody(part), ...body }, signal), days, 'groupBy' in body ? tags : 1),
  )
}

export async function loadCheckDays(api: Api, checkId: string, days: Days, signal: AbortSignal): Promise<FiguresByTag> {
  return new Map([[null, await askAll(api, { ...dailyBody(days), checks: { ids: [checkId] } }, signal)]])
}

async function figuresByTag(untagged: readonly string[], ask: Ask): Promise<FiguresByTag> {
  const [tagged, others] = await Promise.all([ask({ groupBy: ['tag'] }), askTogether(untagged, ask)])
  return new Map<string | null, readonly Row[]>([...grouped(tagged, ({ tag }) => String(tag)), [null, others]])
}

/** The rows of these checks together. */
async function askTogether(ids: readonly string[], ask: Ask): Promise<readonly Row[]> {
  const answers: (readonly Row[])[] = []
  for (let start = 0; start < ids.length; start += idsPerCall)
    answers.push(await ask({ checks: { ids: ids.slice(start, start + idsPerCall) } }))
  return answers.length > 1 ? addedRows(answers.flat()) : answers.flat()
}

/**
 * Halves the days until the rows of each part fit into one answer, because the server computes all rows again for each further page, and
 * until no part reads more than the server accepts.
 */
async function askDays(ask: (days: Days) => Promise<readonly Row[]>, days: Days, rowsPerDay: number): Promise<readonly Row[]> {
  const halves = halvesOf(days)
  if (halves === null || Math.ceil((days.to - days.from) / dayMs) * rowsPerDay <= rowsPerCall) {
    try {
      return await ask(days)
    } catch (problem) {
      if (halves === null || !(problem instanceof Problem) || problem.code !== 'QUERY_TOO_LARGE') throw problem
    }
  }
  const rows: (readonly Row[])[] = []
  for (const half of halves) rows.push(await askDays(ask, half, rowsPerDay))
  return rows.flat()
}

/** Null for a single day. */
function halvesOf({ from, to }: Days): readonly Days[] | null {
  const middle = from + (to - from) / 2
  const start = localStart('day', middle, readerZone())
  const cut = start > from ? start : localNext('day', middle, readerZone())
  return cut > to
    ? null
    : [
        { from, to: cut - 1 },
        { from: cut, to },
      ]
}

/** Adds rows of the same period. */
function addedRows(rows: readonly Row[]): readonly Row[] {
  return [...grouped(rows, ({ period }) => period).values()].map((same) => {
    const sumOf = (count: 'total' | 'success') => same.reduce((sum, row) => sum + Number(row[count]), 0)
    const [total, success] = [sumOf('total'), sumOf('success')]
    return { ...same[0], total, success, availability: total === 0 ? null : (success / total) * 100 }
  })
}

function availabilityBody(window: TimeWindow): object {
  return { metrics: ['availability'], ...Object.fromEntries(windowParameters(window)), limit: rowsPerCall }
}

function dailyBody(days: Days): object {
  return { ...availabilityBody(days), aggregationInterval: 'day', timezone: readerZone() }
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
