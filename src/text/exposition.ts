/** The two text formats of Prometheus: OpenMetrics 1.0, and the older one that every tool reads. */
export type ExpositionFormat = 'openmetrics' | 'text'

export const expositionTypes = {
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  text: 'text/plain; version=0.0.4; charset=utf-8',
} as const

/** A metric family; its name has the unit, but not the suffix of its type, such as `_total`. */
export type Family = {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram' | 'info'
  readonly unit?: 'seconds' | 'bytes'
  readonly help: string
}

type Labels = Readonly<Record<string, string>>
/** Counts by bucket, not cumulative, one more than there are bounds. */
type HistogramValue = { readonly bounds: readonly number[]; readonly buckets: readonly number[]; readonly sum: number }

/** The header lines of a family; its samples must follow immediately. */
export function familyHeader({ name, type, unit, help }: Family, format: ExpositionFormat): string {
  if (format === 'text') {
    const typed = type === 'info' ? 'gauge' : type
    return `# HELP ${name}${suffixes[type]} ${help}\n# TYPE ${name}${suffixes[type]} ${typed}\n`
  }
  return `# TYPE ${name} ${type}\n${unit ? `# UNIT ${name} ${unit}\n` : ''}# HELP ${name} ${help}\n`
}

export const expositionEnd = { openmetrics: '# EOF\n', text: '' } as const

const suffixes = { counter: '_total', gauge: '', histogram: '', info: '_info' } as const

/** A sample of a counter, gauge or info; `time` in epoch milliseconds, if it is not now. */
export function sample({ name, type }: Family, labels: string, value: number, time?: number): string {
  return `${name}${suffixes[type]}${labels === '' ? '' : `{${labels}}`} ${value}${time === undefined ? '' : ` ${time / 1000}`}\n`
}

export function histogramSamples({ name }: Family, labels: string, { bounds, buckets, sum }: HistogramValue): string {
  const before = labels === '' ? '' : `${labels},`
  const own = labels === '' ? '' : `{${labels}}`
  let [lines, count] = ['', 0]
  buckets.forEach((inBucket, i) => {
    count += inBucket
    lines += `${name}_bucket{${before}le="${boundText(bounds[i])}"} ${count}\n`
  })
  return `${lines}${name}_sum${own} ${sum}\n${name}_count${own} ${count}\n`
}

/** Labels as written between the braces of a sample. */
export function labelText(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',')
}

/** OpenMetrics writes whole-number bounds with a decimal point; the text format does so here, too, to give the same series. */
function boundText(bound: number | undefined): string {
  if (bound === undefined) return '+Inf'
  return Number.isInteger(bound) ? `${bound}.0` : String(bound)
}

function escaped(text: string): string {
  return text.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`))
}
