import type { Metrics } from '../checks/define.ts'
import type { Paint } from './paint.ts'
import { withUnit } from './units.ts'

export type BarsOptions = {
  readonly metrics: Metrics
  /** The metric that tells how long all of it took. */
  readonly duration: string | null
  readonly values: Readonly<Record<string, number>>
  readonly paint: Paint
}

type Span = { readonly label: string; readonly from: number; readonly took: number; readonly isTotal: boolean }

const width = 40

/** The times of a run as bars: one after the other where they are phases of the whole, else each from the start. */
export function bars(options: BarsOptions): readonly string[] {
  const spans = spansOf(options)
  const longest = Math.max(...spans.map(({ from, took }) => from + took))
  const column = Math.max(...spans.map(({ label }) => label.length))
  return spans.map((span) => {
    const figure = withUnit(span.took, 'milliseconds')
    return `  ${span.label.padEnd(column)}  ${options.paint(span.isTotal ? 'strong' : 'good', bar(span, longest))}  ${figure.padStart(12)}`
  })
}

function spansOf({ metrics, duration, values }: BarsOptions): readonly Span[] {
  const timed = Object.entries(metrics).flatMap(([name, { unit, perPage, label }]) => {
    const took = values[name]
    return unit !== 'milliseconds' || perPage || took === undefined ? [] : [{ name, label, took }]
  })
  const parts = timed.filter(({ name }) => name !== duration)
  const whole = timed.filter(({ name }) => name === duration)
  const total = whole[0]?.took ?? 0
  const sum = parts.reduce((all, { took }) => all + took, 0)
  const arePhases = parts.length > 1 && Math.abs(sum - total) <= Math.max(total / 100, 0.01)
  let from = 0
  const placed = parts.map(({ label, took }) => {
    const span = { label, from: arePhases ? from : 0, took, isTotal: false }
    from += took
    return span
  })
  return [...placed, ...whole.map(({ label, took }) => ({ label, from: 0, took, isTotal: true }))]
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

function bar({ from, took }: Span, longest: number): string {
  const scale = longest > 0 ? width / longest : 0
  const start = Math.min(width - 1, Math.floor(from * scale))
  const length = Math.max(0, Math.min(width - start, took * scale))
  const whole = Math.floor(length)
  const rest = whole === 0 && took > 0 ? Math.max(1, Math.round(length * 8)) : Math.floor((length - whole) * 8)
  return `${' '.repeat(start)}${'█'.repeat(whole)}${eighths[Math.min(7, rest)] ?? ''}`.padEnd(width)
}
