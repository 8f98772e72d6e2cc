import { figure, tick } from '../view/figures.ts'
import { spanText } from '../view/time.tsx'
import { bucketSpan, type ChartLine, type Drawing, shadeNames } from './line.ts'
import { Swatch } from './swatch.tsx'

type LegendProps = {
  readonly drawing: Drawing
  /** The bucket whose values are shown; null for none. */
  readonly at: number | null
  readonly hidden: ReadonlySet<string>
  onToggle(label: string): void
}

export function Legend({ drawing, at, hidden, onToggle }: LegendProps) {
  const span = at === null ? null : bucketSpan(drawing, at)
  return (
    <div class="legend">
      {named(drawing.lines).map((line) => (
        <button key={line.label} type="button" aria-pressed={!hidden.has(line.label)} onClick={() => onToggle(line.label)}>
          <Swatch line={line} />
          <span class="legend-label" title={line.label}>
            {line.label}
          </span>
          <b>{at === null ? '' : figure(line.values[at], drawing.unit)}</b>
        </button>
      ))}
      <span class="legend-zones">
        {[...drawing.lines.filter(({ background }) => background), ...(drawing.zones ?? [])].map(({ label, colour }) => (
          <span key={label} class="legend-zone">
            <i class={`swatch swatch-area ${colour}`} />
            {label}
          </span>
        ))}
        <span class="legend-zone">{cutAt(drawing)}</span>
        {shadeNames(drawing).map((label) => (
          <span key={label} class="legend-zone">
            <i class="swatch swatch-area shade" />
            {label}
          </span>
        ))}
      </span>
      <span class="legend-time">
        {span === null || at === null
          ? ''
          : [...readoutsAt(drawing, at), spanText(span.from, span.to), ...maintenanceIn(drawing, span)].join(' · ')}
      </span>
    </div>
  )
}

export function sentenceAt(drawing: Drawing, index: number): string {
  const span = bucketSpan(drawing, index)
  if (span === null) return 'no data'
  const values = named(drawing.lines).map(({ label, values }) => `${label} ${figure(values[index], drawing.unit)}`)
  const all = [...values, ...readoutsAt(drawing, index), ...maintenanceIn(drawing, span)]
  return `${spanText(span.from, span.to)}: ${all.join(', ')}`
}

/** Notes that the axis does not start at zero. */
function cutAt({ scale: [lowest] = [0, 0], unit }: Drawing): string | null {
  return lowest > 0 ? `axis cut: it starts at ${tick(lowest, unit)}` : null
}

function readoutsAt({ readouts = [] }: Drawing, index: number): readonly string[] {
  return readouts.map(({ label, unit, values }) => `${label} ${figure(values[index], unit)}`)
}

function maintenanceIn(drawing: Drawing, span: { readonly from: number; readonly to: number }): readonly string[] {
  return shadeNames(drawing, span).map((name) => `maintenance: ${name}`)
}

function named(lines: readonly ChartLine[]): readonly ChartLine[] {
  return lines.filter(({ background }) => !background)
}
