import type { Numbers } from './numbers.ts'

/**
 * The values at ascending `ranks`, from 0, each divided by `scale`; a fraction of a rank interpolates linearly between its neighbours.
 * Reorders `values`, of which there must be at least one and none absent.
 */
export function valuesAt(values: Numbers, ranks: readonly number[], scale = 1): number[] {
  let settled = 0
  return ranks.map((rank) => {
    const low = Math.floor(rank)
    const atLow = select(values, low, settled, values.length - 1) / scale
    settled = low
    if (rank === low) return atLow
    return atLow + (least(values, low + 1) / scale - atLow) * (rank - low)
  })
}

/** The k-th smallest of `values[left..right]`, which moves to index k: none before it is larger, none after it smaller. */
function select(values: Numbers, k: number, first: number, last: number): number {
  let left = first
  let right = last
  while (right > left) {
    if (right - left > 600) narrow(values, k, left, right)
    const pivot = values[k] as number
    let i = left
    let j = right
    swap(values, left, k)
    if ((values[right] as number) > pivot) swap(values, left, right)
    while (i < j) {
      swap(values, i, j)
      i++
      j--
      while ((values[i] as number) < pivot) i++
      while ((values[j] as number) > pivot) j--
    }
    if (values[left] === pivot) swap(values, left, j)
    else swap(values, ++j, right)
    if (j <= k) left = j + 1
    if (k <= j) right = j - 1
  }
  return values[k] as number
}

/** Floyd and Rivest: put a good pivot at k by selecting in a sample around it. */
function narrow(values: Numbers, k: number, left: number, right: number): void {
  const n = right - left + 1
  const i = k - left + 1
  const z = Math.log(n)
  const s = 0.5 * Math.exp((2 * z) / 3)
  const spread = 0.5 * Math.sqrt((z * s * (n - s)) / n) * (i < n / 2 ? -1 : 1)
  const from = Math.max(left, Math.floor(k - (i * s) / n + spread))
  const to = Math.min(right, Math.floor(k + ((n - i) * s) / n + spread))
  select(values, k, from, to)
}

function swap(values: Numbers, i: number, j: number): void {
  const held = values[i] as number
  values[i] = values[j] as number
  values[j] = held
}

function least(values: Numbers, from: number): number {
  let smallest = values[from] as number
  for (let i = from + 1; i < values.length; i++) {
    const value = values[i] as number
    if (value < smallest) smallest = value
  }
  return smallest
}
