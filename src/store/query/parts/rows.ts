import { take } from '../../kernels/take.ts'
import type { Times } from '../../kernels/time-runs.ts'
import { type Part, pageStarts } from './part.ts'

/** The counted rows of a part: its runs, or each page of each run. */
export type PartRows = {
  readonly count: number
  /** The run of each row, and the index of its page in that run; null where rows are runs. */
  readonly pages: { readonly runs: Int32Array; readonly indexes: Int32Array } | null
  times(): Times
  /** Values of runs, repeated for each row of the run. */
  spread<Values extends Float64Array | Int32Array | Uint8Array>(ofRuns: Values): Values
}

export function partRows(part: Part, byPage: boolean): PartRows {
  const { count } = part
  if (!byPage) return { count, pages: null, times: part.times, spread: (ofRuns) => ofRuns }
  const pages = partPages(part)
  return {
    count: pages.runs.length,
    pages,
    times() {
      const times = part.times()
      return { count: pages.runs.length, at: (row) => times.at(pages.runs[row] as number) }
    },
    spread: (ofRuns) => take(ofRuns, pages.runs),
  }
}

/** For each page of a part: its run, and its index in that run. */
export function partPages(part: Part): { readonly runs: Int32Array; readonly indexes: Int32Array } {
  const starts = pageStarts(part.ints('pages'))
  const count = starts[part.count] as number
  const runs = new Int32Array(count)
  const indexes = new Int32Array(count)
  for (let run = 0; run < part.count; run++) {
    const start = starts[run] as number
    for (let page = start; page < (starts[run + 1] as number); page++) {
      runs[page] = run
      indexes[page] = page - start
    }
  }
  return { runs, indexes }
}
