import { eachRow, eachRun, isRuns, type RowIndexes } from './runs.ts'

/** Sets the cells of the rows `from` up to (not with) `to` to `base` plus their group. */
export function assignCells(cells: Int32Array, from: number, to: number, base: number, groups: Int32Array): void {
  for (let row = from; row < to; row++) cells[row] = base + (groups[row] as number)
}

/** Moves rows that do not pass into the cell `leftOut`. */
export function leaveOut(cells: RowIndexes, passes: Uint8Array, leftOut: number): Int32Array {
  const left = isRuns(cells) ? eachRow(cells) : cells.slice()
  for (let row = 0; row < left.length; row++) if (passes[row] === 0) left[row] = leftOut
  return left
}

/** The number of rows of each cell. */
export function tally(cells: RowIndexes, cellCount: number): Int32Array {
  const counts = new Int32Array(cellCount)
  if (cells instanceof Int32Array) countEach(cells, counts)
  else
    eachRun(cells, (cell, from, to) => {
      counts[cell] = (counts[cell] as number) + to - from
    })
  return counts
}

/** Unrolled by four: the loop costs more than the counting. */
function countEach(cells: Int32Array, counts: Int32Array): void {
  const fours = cells.length - (cells.length % 4)
  for (let row = 0; row < fours; row += 4) {
    countIn(counts, cells[row] as number)
    countIn(counts, cells[row + 1] as number)
    countIn(counts, cells[row + 2] as number)
    countIn(counts, cells[row + 3] as number)
  }
  for (let row = fours; row < cells.length; row++) countIn(counts, cells[row] as number)
}

function countIn(counts: Int32Array, cell: number): void {
  counts[cell] = (counts[cell] as number) + 1
}
