import type { Row, Unit } from '../api/answers.ts'
import type { WindowedQuery } from '../api/windowed-query.ts'
import type { ChartLine, Drawing } from '../chart/line.ts'
import type { ChartInterval } from '../state/bucket-choice.ts'
import { zoneParameters } from '../state/window.ts'
import { figure } from '../view/figures.ts'
import type { PanelContext } from './panel.ts'

/** A figure with that of the compared window. */
export type ComparedRow = Row & { readonly previous: Row | null }

export type Compared = {
  readonly compared: { readonly from: string; readonly to: string }
  readonly series: readonly { readonly data: readonly ComparedRow[] }[]
}

/** In percent. */
const confidence = 95
const mostRows = 1000

/** Asks for figures of both windows; null if the API does not support the view's filter. */
export function comparedQuery(
  { check, state }: PanelContext,
  metrics: readonly string[],
  interval: ChartInterval | null,
): WindowedQuery | null {
  const { status } = state
  if (status !== null && status !== 'success' && status !== 'failure') return null
  return {
    window: state.window,
    checks: { ids: [check.id] },
    metrics,
    compare: state.compare ?? 'previousPeriod',
    confidence,
    // Also without buckets: weeks in which clocks change have other lengths in the reader's zone.
    ...Object.fromEntries(zoneParameters()),
    ...(status !== null && { filter: { status: [status] } }),
    ...(state.by === 'time' && { availabilityBy: 'time' }),
    ...(interval !== null && { aggregationInterval: interval, fill: 'null', limit: mostRows }),
  }
}

/** The change of a figure: a short form, a sentence and a verdict. */
type FigureChange = { readonly short: string; readonly sentence: string; readonly verdict: 'better' | 'worse' | 'unclear' }

type Figure = { readonly metric: string; readonly unit: Unit; value(row: Row): number | null }

/** Null if one of the figures is unknown. */
export function figureChange({ metric, unit, value }: Figure, row: ComparedRow): FigureChange | null {
  const [now, before] = [value(row), row.previous === null ? null : value(row.previous)]
  if (now === null || before === null) return null
  const evidence = row[`${metric}_change`]
  const short = differenceText(now, before, unit)
  const said = `${figure(before, unit)} before`
  if (evidence === 'no evidence') {
    return {
      short: short.startsWith('±') ? '≈ same' : `≈ ${short}`,
      sentence: `${said}; no evidence of a change at ${confidence} % confidence`,
      verdict: 'unclear',
    }
  }
  if (evidence !== 'higher' && evidence !== 'lower') return { short, sentence: said, verdict: 'unclear' }
  return { short, sentence: `${said}; ${evidence} at ${confidence} % confidence`, verdict: evidence === 'higher' ? 'worse' : 'better' }
}

/** Whether the compared window has no runs, so that every count has increased. */
export function hadNoRuns({ series }: Compared): boolean {
  return series[0]?.data[0]?.previous?.total === 0
}

/** Percentages differ in points, durations in percent, and counts by number. */
function differenceText(now: number, before: number, unit: Unit): string {
  const difference = now - before
  if (difference === 0) return '±0'
  if (unit === 'milliseconds' && before !== 0) return `${signed((difference / before) * 100, 0)} %`
  if (unit === 'percentage') return `${signed(difference, 2)} pp`
  return unit === 'milliseconds' ? `+${figure(difference, unit)}` : signed(difference, 1)
}

function signed(value: number, digits: number): string {
  const text = Math.abs(value).toLocaleString(undefined, { maximumFractionDigits: digits })
  return Number(value.toFixed(digits)) === 0 ? '±0' : `${value < 0 ? '−' : '+'}${text}`
}

/** Adds a faint line of the compared window, bucket by bucket. */
export function withLineBefore(drawing: Drawing, { series }: Compared, line: { readonly metric: string; readonly label: string }): Drawing {
  const byTime = new Map(
    series.flatMap(({ data }) => data.map((row) => [Date.parse(String(row.period)), row.previous?.[line.metric]] as const)),
  )
  const values = drawing.times.map((time) => {
    const value = byTime.get(time)
    return typeof value === 'number' ? value : null
  })
  const before: ChartLine = { label: `${line.label} before`, values, colour: 'before', shape: 'line', dash: [3, 4], width: 1.5 }
  return { ...drawing, lines: [...drawing.lines, before] }
}
