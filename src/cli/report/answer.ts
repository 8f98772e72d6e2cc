import type { CheckType } from '../../checks/define.ts'
import { ask, goodBody } from '../api-client.ts'
import type { Remote } from '../remote.ts'

export type Cell = string | number | boolean | null
export type Row = Readonly<Record<string, Cell>>
export type Series = { readonly data: readonly Row[] } & Readonly<Record<string, Cell | readonly Row[]>>
export type Answered = {
  readonly name: string
  readonly from: string
  readonly to: string
  readonly series: readonly Series[]
  readonly metadata: Readonly<Record<string, { readonly unit: string }>>
}
export type Whole = { readonly answered: Answered; readonly cut: boolean }

const pageSize = 100
const mostPages = 100

export function analyticsPath({ path }: CheckType, id: string): string {
  return `/v1/analytics/${path}/${id}`
}

/** Asks page after page until everything is there, up to 10,000 rows a series. */
export async function askWhole(remote: Remote, path: string, parameters: URLSearchParams): Promise<Whole> {
  const first = await askPage(remote, path, parameters, 1)
  const series = new Map<string, Series>()
  let answered = first
  for (let page = 1; ; page++) {
    for (const part of answered.series) join(series, part)
    const cut = page === mostPages
    if (cut || !isFull(answered)) return { answered: { ...first, series: [...series.values()] }, cut: cut && isFull(answered) }
    answered = await askPage(remote, path, fixedWindow(parameters, first), page + 1)
  }
}

async function askPage(remote: Remote, path: string, parameters: URLSearchParams, page: number): Promise<Answered> {
  const paged = new URLSearchParams([...parameters, ['limit', String(pageSize)], ['page', String(page)]])
  return JSON.parse(goodBody(await ask(remote, path, paged))) as Answered
}

/** The window that the first page was of, so that time that passes does not shift the next. */
function fixedWindow(parameters: URLSearchParams, { from, to }: Answered): URLSearchParams {
  return new URLSearchParams([
    ...[...parameters].filter(([name]) => !['quickRange', 'from', 'to'].includes(name)),
    ['from', from],
    ['to', to],
  ])
}

const isFull = ({ series }: Answered) => series.length >= pageSize || series.some(({ data }) => data.length >= pageSize)

function join(whole: Map<string, Series>, part: Series): void {
  const { data, ...group } = part
  const key = JSON.stringify(group)
  whole.set(key, { ...part, data: [...(whole.get(key)?.data ?? []), ...data] })
}
