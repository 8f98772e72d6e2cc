const width = 30

/** A progress bar on a terminal; no output elsewhere. */
export function progressBar(stream: NodeJS.WriteStream, label: string): { show(fraction: number): void; end(): void } {
  if (!stream.isTTY) return { show: () => {}, end: () => {} }
  return {
    show(fraction) {
      const filled = Math.round(fraction * width)
      stream.write(`\r${label} ${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${Math.round(fraction * 100)} %`)
    },
    end: () => stream.write('\r\u001b[K'),
  }
}
