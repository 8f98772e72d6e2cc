import type { CheckType } from '../../checks/define.ts'
import type { Paint } from './paint.ts'
import { withUnit } from './units.ts'

type BarsOptions = {
  readonly checkType: Pick<CheckType, 'metrics' | 'duration' | 'phases'>
  readonly values: Readonly<Record<string, number>>
  readonly paint: Paint
}

type BarRow = { readonly label: string; readonly from: number; readonly took: number; readonly isTotal: boolean }

const width = 40

/** The durations of a run as bars. Phases follow each other; all other bars begin at the start. */
export function bars(options: BarsOptions): readonly string[] {
  const spans = spansOf(options)
  const longest = Math.max(...spans.map(({ from, took }) => from + took))
  const column = Math.max(...spans.map(({ label }) => label.length))
  return spans.map((span) => {
    const figure = withUnit(span.took, 'milliseconds')
    return `  ${span.label.padEnd(column)}  ${options.paint(span.isTotal ? 'strong' : 'good', bar(span, longest))}  ${figure.padStart(12)}`
  })
}

function spansOf({ checkType: { metrics, duration, phases }, values }: BarsOptions): readonly BarRow[] {
  const timed = Object.entries(metrics).flatMap(([name, { unit, perPage, label }]) => {
    const took = values[name]
    return unit !== 'milliseconds' || perPage || took === undefined ? [] : [{ name, label, took }]
  })
  const startOf = (name: string) => sum(phases.slice(0, Math.max(0, phases.indexOf(name))).map((phase) => values[phase] ?? 0))
  const spans = timed.map(({ name, label, took }) => ({ label, took, from: startOf(name), isTotal: name === duration }))
  return [...spans.filter(({ isTotal }) => !isTotal), ...spans.filter(({ isTotal }) => isTotal)]
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0)
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

function bar({ from, took }: BarRow, longest: number): string {
  const scale = longest > 0 ? width / longest : 0
  const start = Math.min(width - 1, Math.floor(from * scale))
  const length = Math.max(0, Math.min(width - start, took * scale))
  const whole = Math.floor(length)
  const rest = whole === 0 && took > 0 ? Math.max(1, Math.round(length * 8)) : Math.floor((length - whole) * 8)
  return `${' '.repeat(start)}${'█'.repeat(whole)}${eighths[Math.min(7, rest)] ?? ''}`.padEnd(width)
}
