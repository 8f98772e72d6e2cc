/** The states of a check or location, in the order of their codes; the first three are also the outcomes of results. */
export const timelineStates = ['up', 'degraded', 'down', 'unknown', 'maintenance'] as const
export type TimelineState = (typeof timelineStates)[number]

/** How many of the known locations must be down for the check to be down; a majority is more than half of them. */
export type Quorum = number | 'majority'

/** Number of locations in each state, by its code. */
export type StateCounts = Int32Array

export const degradedCode = 1
export const downCode = 2
export const unknownCode = 3

export function timelineState(tally: StateCounts, quorum: Quorum): TimelineState {
  const degraded = tally[1] as number
  const down = tally[downCode] as number
  const known = (tally[0] as number) + degraded + down
  if (known === 0) return 'unknown'
  if (quorum === 'majority' ? 2 * down > known : down >= quorum) return 'down'
  return degraded + down > 0 ? 'degraded' : 'up'
}
