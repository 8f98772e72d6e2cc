import { apiError } from '../errors.ts'
import type { Window } from '../store/store.ts'
import { dayMs, parseEpoch, parseInstant } from '../time.ts'
import { presetWindow, type QuickRange } from './quick-range.ts'

export type WindowRequest = { readonly quickRange: QuickRange; readonly from: number | null; readonly to: number | null }

/** The requested window: from and to override the preset. */
export function chooseWindow({ quickRange, from, to }: WindowRequest, now: number): Window {
  if (from === null && to === null) return presetWindow(quickRange, now)
  const end = to ?? now
  const window = { from: from ?? Math.max(0, end - dayMs), to: end }
  if (window.from > window.to) throw apiError('INVALID_WINDOW')
  return window
}

/** Epoch milliseconds of an end of a window as clients write it, or undefined. A date is its first millisecond, or as `to` its last. */
export function parseEdge(text: string, edge: 'from' | 'to'): number | undefined {
  return parseEpoch(text) ?? parseDate(text, edge) ?? parseInstant(withPlus(text))
}

function parseDate(text: string, edge: 'from' | 'to'): number | undefined {
  const start = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) ? parseInstant(`${text}T00:00Z`) : undefined
  return start !== undefined && edge === 'to' ? start + dayMs - 1 : start
}

/** A blank before an offset is a plus that was not escaped in the URL. */
function withPlus(text: string): string {
  return text.replace(/ (?=[0-9]{2}(:?[0-9]{2})?$)/, '+')
}
