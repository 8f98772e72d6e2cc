import { rowsPerCall } from '../state/bucket.ts'
import { type TimeWindow, windowParameters } from '../state/window.ts'
import type { Report, Series } from './answers.ts'
import type { Api } from './client.ts'

/** What one chart asks of a check; everything drawn or exported follows from it. */
export type Question = {
  readonly endpoint: string
  readonly checkId: string
  readonly metrics: readonly string[]
  readonly window: TimeWindow
  readonly interval: number | null
  readonly groupBy: string | null
  readonly status: string | null
  /** How many pages of rows it takes to have all. */
  readonly calls: number
}

/** The path of one page of the answer; `[1-3]` is what curl reads as pages 1 to 3. */
export function questionPath(question: Question, page: number | string): string {
  const parameters: [string, string][] = [['metrics', question.metrics.join(',')], ...windowParameters(question.window)]
  if (question.interval !== null) parameters.push(['aggregationInterval', String(question.interval)])
  if (question.groupBy !== null) parameters.push(['groupBy', question.groupBy])
  if (question.status !== null) parameters.push(['filterByStatus', question.status])
  parameters.push(['limit', String(rowsPerCall)])
  if (page !== 1) parameters.push(['page', String(page)])
  return `${question.endpoint}/${question.checkId}?${parameters.map(([name, value]) => `${name}=${value}`).join('&')}`
}

/** The same question about the very window that a report answered. */
export function asAnswered(question: Question, report: Report): Question {
  return { ...question, window: { from: Date.parse(report.from), to: Date.parse(report.to) } }
}

export async function loadReport(api: Api, question: Question, signal: AbortSignal): Promise<Report> {
  const { data: first } = await api.ask<Report>({ path: questionPath(question, 1) }, signal)
  const fixed = asAnswered(question, first)
  const pages = Array.from({ length: question.calls - 1 }, (_, index) => index + 2)
  const rest = await Promise.all(pages.map((page) => api.ask<Report>({ path: questionPath(fixed, page) }, signal)))
  return { ...first, series: rest.reduce((series, { data }) => joined(series, data.series, question.groupBy), first.series) }
}

function joined(series: readonly Series[], more: readonly Series[], groupBy: string | null): readonly Series[] {
  if (groupBy === null) return [{ ...series[0], data: [...(series[0]?.data ?? []), ...(more[0]?.data ?? [])] }]
  const all = new Map(series.map((entry) => [entry[groupBy], entry]))
  for (const entry of more) {
    all.set(entry[groupBy], { ...entry, data: [...(all.get(entry[groupBy])?.data ?? []), ...entry.data] })
  }
  return [...all.values()]
}
