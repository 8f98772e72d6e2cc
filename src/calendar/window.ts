/** Epoch milliseconds, both ends included. */
export type Window = { readonly from: number; readonly to: number }

export const allTime: Window = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER }

/** `[from, to)` in epoch milliseconds. */
export type Span = { readonly from: number; readonly to: number }

/** A calendar value at an instant, and its exclusive end. */
export type Stretch = { readonly value: number; readonly until: number }

/** The union of spans: ascending, without overlap or touching neighbours. */
export function mergeSpans(spans: readonly Span[]): readonly Span[] {
  const merged: Span[] = []
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1)
    if (span.to <= span.from) continue
    if (last && span.from <= last.to) merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, span.to) }
    else merged.push(span)
  }
  return merged
}

/** The part of a span in a window; if there is none, it is empty, with `to` not after `from`. */
export function clipSpan({ from, to }: Span, window: Window): Span {
  return { from: Math.max(from, window.from), to: Math.min(to, window.to + 1) }
}

export function touches({ from, to }: Span, window: Window): boolean {
  return from < to && from <= window.to && to > window.from
}
