import type { Line } from './line.ts'

/** How a line is drawn, in a legend. */
export function Swatch({ line }: { readonly line: Line }) {
  return <i class={`swatch swatch-${line.shape} ${line.colour}${line.dash ? ' dashed' : ''}`} />
}
