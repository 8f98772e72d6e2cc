import type { Window } from './window.ts'

/** `[from, to)` in epoch milliseconds. */
export type Span = { readonly from: number; readonly to: number }

/** The union of intervals within a window: ascending, without overlap or touching neighbours. */
export function mergeIntervals(intervals: readonly Span[], window: Window): readonly Span[] {
  const merged: Span[] = []
  for (const interval of [...intervals].sort((a, b) => a.from - b.from)) {
    const from = Math.max(interval.from, window.from)
    const to = Math.min(interval.to, window.to + 1)
    const last = merged.at(-1)
    if (from >= to) continue
    if (last && from <= last.to) merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, to) }
    else merged.push({ from, to })
  }
  return merged
}

export function touches({ from, to }: Span, window: Window): boolean {
  return from < to && from <= window.to && to > window.from
}
