import type { ChartLine } from './line.ts'

/** A legend sample of a line's style. */
export function Swatch({ line }: { readonly line: ChartLine }) {
  return <i class={`swatch swatch-${line.shape} ${line.colour}${line.dash ? ' dashed' : ''}`} />
}
