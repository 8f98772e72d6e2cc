/** Consecutive rows that share an index: those of run `i` end before row `ends[i]` and have the index `indexes[i]`. */
export type Runs = { readonly ends: readonly number[]; readonly indexes: readonly number[] }

/** An index for each row: by row, or by runs where only time decides. */
export type RowIndexes = Int32Array | Runs

export const isRuns = (of: RowIndexes): of is Runs => !(of instanceof Int32Array)

/** All rows have the index 0. */
export const oneRun = (count: number): Runs => ({ ends: [count], indexes: [0] })

export function eachRow(of: RowIndexes): Int32Array {
  if (of instanceof Int32Array) return of
  const rows = new Int32Array(of.ends.at(-1) ?? 0)
  eachRun(of, (index, from, to) => rows.fill(index, from, to))
  return rows
}

export function eachRun({ ends, indexes }: Runs, visit: (index: number, from: number, to: number) => void): void {
  let from = 0
  for (let run = 0; run < ends.length; run++) {
    const to = ends[run] as number
    visit(indexes[run] as number, from, to)
    from = to
  }
}

/** Cuts rows where either of two runs over them ends; `pairOf` gives the index of a pair of indexes. */
export function crossRuns(a: Runs, b: Runs, pairOf: (a: number, b: number) => number): Runs {
  const ends: number[] = []
  const indexes: number[] = []
  for (let i = 0, j = 0; i < a.ends.length && j < b.ends.length; ) {
    const [endA, endB] = [a.ends[i] as number, b.ends[j] as number]
    ends.push(Math.min(endA, endB))
    indexes.push(pairOf(a.indexes[i] as number, b.indexes[j] as number))
    if (endA <= endB) i++
    if (endB <= endA) j++
  }
  return { ends, indexes }
}
