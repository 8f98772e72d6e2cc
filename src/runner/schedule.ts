import { createHash } from 'node:crypto'
import type { Check } from '../catalogue/catalogue.ts'
import { checkKey } from '../ids/check-ref.ts'

/** A check is due at `offsetMs` into each period of `everyMs`, counted from the epoch. */
export type Schedule = { readonly everyMs: number; readonly offsetMs: number }

export type Slot = { readonly index: number; readonly at: number }

/** Deterministic: the same check has the same schedule in every process, and a hash spreads checks evenly over their period. */
export function scheduleOf({ account, id, everyMs }: Pick<Check, 'account' | 'id' | 'everyMs'>): Schedule {
  return { everyMs, offsetMs: Math.floor(hashFraction(account, id) * everyMs) }
}

/** The first slot later than `time`. */
export function slotAfter({ everyMs, offsetMs }: Schedule, time: number): Slot {
  const index = Math.floor((time - offsetMs) / everyMs) + 1
  return { index, at: slotTime({ everyMs, offsetMs }, { index }) }
}

/**
 * The slot to run in place of another once the wall clock is `byMs` ahead of the schedule, because it was behind at the start or the machine
 * was suspended: other processes have run the slots before, and a result with the id of one of those would count as a duplicate.
 */
export function slotAhead({ everyMs }: Schedule, { index, at }: Slot, byMs: number): Slot {
  return { index: index + Math.floor(byMs / everyMs), at }
}

/** Smaller steps are differences between two clocks. */
const leastStepMs = 1000

/**
 * Returns how far the wall clock has been set ahead of the schedule. Where it is set back by less than the time it was ahead, the lead stays:
 * slots that were run meanwhile would be run again.
 */
export function createClockLead(): (time: number, wallClock: number) => number {
  let [leadMs, since] = [0, 0]
  return (time, wallClock) => {
    const currentMs = Math.max(0, wallClock - time)
    const isSetBack = leadMs - currentMs > Math.max(leastStepMs, time - since)
    if (isSetBack || currentMs - leadMs > leastStepMs) [leadMs, since] = [currentMs, time]
    return leadMs
  }
}

/** The nominal time of a slot: the same in every process, no matter when the run starts. */
export function slotTime({ everyMs, offsetMs }: Schedule, { index }: Pick<Slot, 'index'>): number {
  return offsetMs + index * everyMs
}

/** The locations of a slot: all of them with `runParallel`, else one, round-robin. */
export function locationsIn({ locations, runParallel }: Pick<Check, 'locations' | 'runParallel'>, { index }: Slot): readonly string[] {
  if (runParallel || locations.length < 2) return locations
  const turn = ((index % locations.length) + locations.length) % locations.length
  return locations.slice(turn, turn + 1)
}

/** New checks run within this time. */
const soonMs = 10_000

/** For a check without results: its next slot, or one within 10 s if that is later, spread so that new checks do not all run at once. */
export function firstSlot(schedule: Schedule, time: number): Slot {
  const { index, at } = slotAfter(schedule, time)
  const soon = time + (schedule.offsetMs / schedule.everyMs) * soonMs
  return at - time <= soonMs ? { index, at } : { index: index - 1, at: soon }
}

/** The next slot, or the last one if it was due at `takeoverFrom` or later and can still be run. */
export function nextSlot(schedule: Schedule, time: number, takeoverFrom: number | null): Slot {
  const last = slotAfter(schedule, time - schedule.everyMs)
  const isTakenOver = takeoverFrom !== null && last.at >= takeoverFrom && !isMissed(schedule, last, time)
  return isTakenOver ? last : slotAfter(schedule, time)
}

/** A run that could not start within half its period is skipped: no result, no catch-up. */
export function isMissed({ everyMs }: Schedule, { at }: Slot, time: number): boolean {
  return time - at > everyMs / 2
}

/** Uniformly distributed in [0, 1). */
function hashFraction(account: string, id: string): number {
  const hash = createHash('sha256')
    .update(checkKey({ account, checkId: id }))
    .digest()
  return hash.readUIntBE(0, 6) / 2 ** 48
}
