export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

export function median(values: readonly number[]): number {
  return atFraction(values, 0.5)
}

/** The value below which this fraction of the values lies. */
export function atFraction(values: readonly number[], fraction: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * fraction)] as number
}

export function ms(value: number): string {
  return `${value.toFixed(2)} ms`
}

export function rate(perSecond: number): string {
  return `${Math.round(perSecond).toLocaleString('en')}/s`
}

/** Prints measurements, and remembers which missed their bar. */
export function createScorecard() {
  const missed: string[] = []
  return {
    report(line: string, passes: boolean): void {
      console.log(line)
      if (!passes) missed.push(line)
    },
    /** Lists what missed its bar, and sets the exit status. */
    finish(): void {
      if (missed.length > 0) console.log(`\nBars missed:\n${missed.join('\n')}`)
      process.exitCode = missed.length > 0 ? 1 : 0
    },
  }
}
