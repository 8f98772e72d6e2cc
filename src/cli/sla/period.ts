import type { Edge } from '../../analytics/resolve-window.ts'
import { edgeInstant } from '../../analytics/window.ts'
import { startAfter } from '../../calendar/calendar.ts'
import { dateStart } from '../../calendar/presets.ts'
import { utc, type Zone } from '../../calendar/zone.ts'
import { isoText, minuteMs } from '../../time.ts'
import { CommandFailure } from '../context.ts'
import type { SheetWindow } from './sheet-schema.ts'

type PeriodOptions = {
  readonly month?: string
  readonly from?: Edge
  readonly to?: Edge
  readonly timezone?: Zone
}

/** The window of a sheet. A window that has not ended is cut after the last whole minute, so that the same query can be repeated. */
export function sheetWindow(options: PeriodOptions, now: number): SheetWindow {
  const zone = options.timezone ?? utc
  const { from, to } = askedWindow(options, zone)
  const end = Math.floor(now / minuteMs) * minuteMs - 1
  if (from > to) throw new CommandFailure('The window ends before it starts.')
  if (from > end) throw new CommandFailure(`The window starts in the future, at ${isoText(from)}.`)
  return {
    from: isoText(from),
    to: isoText(Math.min(to, end)),
    timezone: zone.name,
    month: options.month ?? null,
    partial: to > end,
  }
}

function askedWindow({ month, from, to }: PeriodOptions, zone: Zone): { readonly from: number; readonly to: number } {
  if (month !== undefined && (from !== undefined || to !== undefined)) throw new CommandFailure('Use either --month, or --from and --to.')
  if (month !== undefined) return monthWindow(month, zone)
  if (from === undefined || to === undefined) throw new CommandFailure('A window is required: --month 2026-10, or --from and --to.')
  return { from: edgeInstant(from, 'from', zone), to: edgeInstant(to, 'to', zone) }
}

function monthWindow(month: string, zone: Zone): { readonly from: number; readonly to: number } {
  const from = /^[0-9]{4}-[0-9]{2}$/.test(month) ? dateStart(`${month}-01`, zone) : undefined
  if (from === undefined) throw new CommandFailure(`${month} is not a month such as 2026-10.`)
  return { from, to: startAfter('month', from, zone) - 1 }
}
