import { withoutControls } from '../../text/without-controls.ts'

/**
 * An aligned table; columns in `right` are right-aligned. Text is truncated to fit the terminal's `width`, unless that is 0, which means
 * unknown. Control characters are removed, because names and errors may come from elsewhere.
 */
export function alignedTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { right = new Set(), width }: { readonly right?: ReadonlySet<number>; readonly width?: number | undefined } = {},
): string {
  const lines = [head, ...rows].map((row) => row.map(withoutControls))
  const natural = head.map((_, column) => lines.reduce((widest, row) => Math.max(widest, displayWidth(row[column] ?? '')), 0))
  const widths = width ? fitted(natural, width, right) : natural
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => padded(cut(cell, widths[column] ?? 0), widths[column] ?? 0, right.has(column)))
      .join(gap)
      .trimEnd()
  return lines.map((cells) => `${line(cells)}\n`).join('')
}

const gap = '  '
/** Minimum width of a truncated column. */
const leastWidth = 8

/** Shrinks the widest text columns first; numbers are never cut. */
function fitted(natural: readonly number[], width: number, right: ReadonlySet<number>): readonly number[] {
  const widths = [...natural]
  let excess = widths.reduce((sum, one) => sum + one, gap.length * (widths.length - 1)) - width
  while (excess > 0) {
    const widest = widths.reduce((best, one, column) => (!right.has(column) && one > (widths[best] ?? 0) ? column : best), -1)
    if (widest < 0 || (widths[widest] ?? 0) <= leastWidth) return widths
    widths[widest] = (widths[widest] ?? 0) - 1
    excess -= 1
  }
  return widths
}

function padded(text: string, width: number, isRight: boolean): string {
  const blanks = ' '.repeat(Math.max(0, width - displayWidth(text)))
  return isRight ? blanks + text : text + blanks
}

function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  let kept = ''
  for (const { segment } of segmenter.segment(text)) {
    if (displayWidth(kept + segment) > width - 1) break
    kept += segment
  }
  return `${kept}…`
}

const segmenter = new Intl.Segmenter()
const wide = /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u

/** The number of terminal columns that a text occupies. */
function displayWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let width = 0
  for (const { segment } of segmenter.segment(text)) width += wide.test(segment) ? 2 : 1
  return width
}
