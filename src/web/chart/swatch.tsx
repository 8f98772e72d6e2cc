import type { ChartLine } from './line.ts'

/** How a line is drawn, in a legend. */
export function Swatch({ line }: { readonly line: ChartLine }) {
  return <i class={`swatch swatch-${line.shape} ${line.colour}${line.dash ? ' dashed' : ''}`} />
}
