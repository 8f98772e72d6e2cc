import { createHash } from 'node:crypto'
import { type Check, uniqueName } from '../catalogue/catalogue.ts'

/** A check is due at `offsetMs` into each period of `everyMs`, counted from the epoch. */
export type Rhythm = { readonly everyMs: number; readonly offsetMs: number }

export type Slot = { readonly index: number; readonly at: number }

type Timed = Pick<Check, 'account' | 'id' | 'everyMs'>
type Placed = Pick<Check, 'locations' | 'runParallel'>

/** The same check has the same rhythm in every process; many checks are spread evenly over their period. */
export function rhythmOf({ account, id, everyMs }: Timed): Rhythm {
  return { everyMs, offsetMs: Math.floor(shareOf(account, id) * everyMs) }
}

/** The first slot later than `time`. */
export function slotAfter({ everyMs, offsetMs }: Rhythm, time: number): Slot {
  const index = Math.floor((time - offsetMs) / everyMs) + 1
  return { index, at: offsetMs + index * everyMs }
}

/** Where a check runs in that slot: everywhere, or at its locations in turn. */
export function placesIn({ locations, runParallel }: Placed, { index }: Slot): readonly string[] {
  if (runParallel || locations.length < 2) return locations
  const turn = ((index % locations.length) + locations.length) % locations.length
  return locations.slice(turn, turn + 1)
}

const soonMs = 10_000

/** For a check without any result yet: its first slot, or a run soon where that is long to wait for, though not of all such checks at once. */
export function firstSlot(rhythm: Rhythm, time: number): Slot {
  const { index, at } = slotAfter(rhythm, time)
  const soon = time + (rhythm.offsetMs / rhythm.everyMs) * soonMs
  return at - time <= soonMs ? { index, at } : { index: index - 1, at: soon }
}

/** A run that could not start within half its period is missed, which is no result and no reason to catch up. */
export function isMissed({ everyMs }: Rhythm, { at }: Slot, time: number): boolean {
  return time - at > everyMs / 2
}

/** From 0 up to, not including, 1. */
function shareOf(account: string, id: string): number {
  const hash = createHash('sha256').update(uniqueName({ account, id })).digest()
  return hash.readUIntBE(0, 6) / 2 ** 48
}
