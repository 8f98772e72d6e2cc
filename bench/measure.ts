import { appendFileSync } from 'node:fs'

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

/** Calls `ask` repeatedly so that the JIT compiles the code. */
export async function warmUp(ask: (round: number) => Promise<unknown>, forMs: number): Promise<void> {
  const until = performance.now() + forMs
  for (let round = 0; performance.now() < until; round++) await ask(round)
}

export function median(values: readonly number[]): number {
  return atFraction(values, 0.5)
}

/** The value at this fraction of the sorted values. */
export function atFraction(values: readonly number[], fraction: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * fraction)] as number
}

export function ms(value: number): string {
  return `${value.toFixed(2)} ms`
}

export function rate(perSecond: number): string {
  return `${Math.round(perSecond).toLocaleString('en')}/s`
}

/** A ratio to an alternative product, and its bar. */
export type Ratio = { readonly name: string; readonly ratio: number; readonly bar: number; readonly better: 'higher' | 'lower' }

export const meets = ({ ratio, bar, better }: Ratio): boolean => (better === 'higher' ? ratio >= bar : ratio <= bar)

/** Prints measurements and collects missed bars. Also appends ratios to the file in `BENCH_RATIOS`. */
export function createScorecard() {
  const missed: string[] = []
  const report = (line: string, passes: boolean): void => {
    console.log(line)
    if (!passes) missed.push(line)
  }
  return {
    report,
    reportRatio(line: string, ratio: Ratio): void {
      report(line, meets(ratio))
      if (process.env.BENCH_RATIOS) appendFileSync(process.env.BENCH_RATIOS, `${JSON.stringify(ratio)}\n`)
    },
    /** Lists missed bars and sets the exit status. */
    finish(): void {
      if (missed.length > 0) console.log(`\nBars missed:\n${missed.join('\n')}`)
      process.exitCode = missed.length > 0 ? 1 : 0
    },
  }
}
