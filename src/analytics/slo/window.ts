import { startOf, unitStarts } from '../../calendar/calendar.ts'
import type { Window } from '../../calendar/window.ts'
import { utc, type Zone } from '../../calendar/zone.ts'
import type { SloWindow } from '../../catalogue/policies/policies.ts'
import { apiError } from '../../errors.ts'
import { dayMs, hourMs } from '../../time.ts'

/** The periods before the end of a window whose burn rates are measured. */
export const burnPeriods = { '1h': hourMs, '6h': 6 * hourMs, '24h': dayMs, '3d': 3 * dayMs } as const
type BurnPeriod = keyof typeof burnPeriods
export type PerBurnPeriod<T> = Readonly<Record<BurnPeriod, T>>

/** The windows to measure for an SLO: its own by local days, and the burn windows, which may begin before it. */
export type SloPlan = {
  readonly window: Window
  /** The end of the measured time: the end of the window, or now if that is earlier. */
  readonly end: number
  readonly zone: Zone
  /** The starts of the local days from the window's start to `end`; the first may lie before the window. */
  readonly dayStarts: Float64Array
  readonly burn: PerBurnPeriod<Window>
}

/** Ten years: each day is a line of the answer. */
const maxDays = 3660

/** Overrides of the ends of the configured window. */
export type WindowOverride = { readonly from: number | null; readonly to: number | null }

export function planSlo(slo: { readonly window: SloWindow }, now: number, override: WindowOverride = { from: null, to: null }): SloPlan {
  const to = override.to ?? now
  const window = { from: override.from ?? startOfWindow(slo.window, to), to }
  if (window.from > window.to) throw apiError('INVALID_WINDOW')
  const end = Math.min(to, now)
  if (end - window.from > maxDays * dayMs) throw apiError('QUERY_TOO_LARGE', { reason: `its window has more than ${maxDays} days` })
  const zone = slo.window.kind === 'calendar' ? slo.window.zone : utc
  const dayStarts = window.from > end ? new Float64Array() : unitStarts('day', zone, { from: window.from, to: end })
  return { window, end, zone, dayStarts, burn: perBurnPeriod((period) => ({ from: Math.max(0, end - burnPeriods[period]), to: end })) }
}

export function perBurnPeriod<T>(of: (period: BurnPeriod) => T): PerBurnPeriod<T> {
  return { '1h': of('1h'), '6h': of('6h'), '24h': of('24h'), '3d': of('3d') }
}

function startOfWindow(window: SloWindow, to: number): number {
  return window.kind === 'rolling' ? Math.max(0, to - window.durationMs) : startOf(window.unit, to, window.zone)
}
