const width = 30

/** Columns for the percentage and the blanks. */
const figureWidth = 8
const leastLabel = 10

/**
 * A progress bar on a terminal; no output elsewhere. It fits into one line, because a line that wraps could not be overwritten: the label is
 * cut, and a narrow terminal shows only the percentage.
 */
export function progressBar(stream: NodeJS.WriteStream, label: string): { show(fraction: number): void; end(): void } {
  if (!stream.isTTY) return { show: () => {}, end: () => {} }
  return {
    show(fraction) {
      const filled = Math.round(fraction * width)
      const room = (stream.columns || Number.POSITIVE_INFINITY) - width - figureWidth
      const bar = room < leastLabel ? '' : `${ending(label, room)} ${'█'.repeat(filled)}${'░'.repeat(width - filled)} `
      stream.write(`\r${bar}${Math.round(fraction * 100)} %`)
    },
    end: () => stream.write('\r\u001b[K'),
  }
}

/** The end of a file name says more than its folder. */
const ending = (text: string, length: number) => (text.length <= length ? text : `…${text.slice(1 - length)}`)
