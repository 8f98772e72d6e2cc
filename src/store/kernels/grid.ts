/** Sets the cells of the rows `from` up to (not with) `to` to `base` plus their group. */
export function number(cells: Int32Array, from: number, to: number, base: number, groups: Int32Array | null): void {
  if (!groups) cells.fill(base, from, to)
  else for (let row = from; row < to; row++) cells[row] = base + (groups[row] as number)
}

/** Moves rows that do not pass into the cell `leftOut`. */
export function leaveOut(cells: Int32Array, passes: Uint8Array, leftOut: number): void {
  for (let row = 0; row < cells.length; row++) if (passes[row] === 0) cells[row] = leftOut
}

/** The number of rows of each cell. Unrolled by four: the loop costs more than the counting. */
export function tally(cells: Int32Array, cellCount: number): Int32Array {
  const counts = new Int32Array(cellCount)
  const fours = cells.length - (cells.length % 4)
  for (let row = 0; row < fours; row += 4) {
    countIn(counts, cells[row] as number)
    countIn(counts, cells[row + 1] as number)
    countIn(counts, cells[row + 2] as number)
    countIn(counts, cells[row + 3] as number)
  }
  for (let row = fours; row < cells.length; row++) countIn(counts, cells[row] as number)
  return counts
}

function countIn(counts: Int32Array, cell: number): void {
  counts[cell] = (counts[cell] as number) + 1
}
