import { dayMs, hourMs, startOfDay } from '../../time.ts'
import type { CheckRef, Window } from '../store.ts'
import type { Contents, DayCount, Digest } from './contents.ts'

/** A day with different numbers of results in the source and the destination. */
export type DifferingDay = DayCount & { readonly existing: number }

/** Limit of results per scan: in ClickHouse, every page of a scan reads the rest of its window. */
const maxScanned = 20_000

export function differingDays(source: readonly DayCount[], destination: readonly DayCount[]): readonly DifferingDay[] {
  const existing = new Map(destination.map(({ day, results }) => [day, results]))
  return source.map((count) => ({ ...count, existing: existing.get(count.day) ?? 0 })).filter((day) => day.results !== day.existing)
}

type Sides = { readonly source: Pick<Contents, 'digests'>; readonly destination: Pick<Contents, 'digests'> }

/**
 * The windows to copy: a whole day if the destination has nothing of it and it is not too large, otherwise the hours that differ. Adjacent
 * windows are merged.
 */
export async function* windowsToCopy(sides: Sides, check: CheckRef, days: readonly DifferingDay[]): AsyncGenerator<Window> {
  let next: (Window & { readonly results: number }) | null = null
  for (const day of days)
    for (const { from, to, results } of await partsOf(sides, check, day)) {
      const isAdjacent: boolean = next !== null && next.to + 1 === from && next.results + results <= maxScanned
      if (next && isAdjacent) next = { from: next.from, to, results: next.results + results }
      else {
        if (next) yield next
        next = { from, to, results }
      }
    }
  if (next) yield next
}

async function partsOf(
  sides: Sides,
  check: CheckRef,
  { day, results, existing }: DifferingDay,
): Promise<readonly (Window & { readonly results: number })[]> {
  const window = dayWindow(day)
  if (existing === 0 && results <= maxScanned) return [{ ...window, results }]
  const hours = await differingParts(sides, { check, window, widthMs: hourMs })
  return hours.map(({ from, results }) => ({ from, to: from + hourMs - 1, results }))
}

type Parts = { readonly check: CheckRef; readonly window: Window; readonly widthMs: number }

/** The parts of a window whose results differ between the source and the destination. */
export async function differingParts({ source, destination }: Sides, { check, window, widthMs }: Parts): Promise<readonly DifferingPart[]> {
  const [own, others] = await Promise.all([source.digests(check, window, widthMs), destination.digests(check, window, widthMs)])
  const existing = new Map(others.map((part) => [part.from, part]))
  return own
    .map((part) => ({ ...part, existing: existing.get(part.from) ?? null }))
    .filter(({ results, digest, existing }) => results !== existing?.results || digest !== existing.digest)
}

export type DifferingPart = Digest & { readonly existing: Digest | null }

export const dayWindow = (day: number): Window => ({ from: startOfDay(day), to: startOfDay(day) + dayMs - 1 })
