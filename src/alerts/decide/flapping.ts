import { minuteMs } from '../../time.ts'
import type { Member } from './model.ts'

/** How far back changes of a member are counted. */
export const flappingMs = 30 * minuteMs
const maxChanges = 4

/** Records that a member has opened or closed; more than four changes in half an hour make it flap. */
export function withChange(member: Member, now: number): Member {
  const changes = [...recentChanges(member, now), now]
  const flaps = member.flappingSince === null && changes.length > maxChanges
  return { ...member, changes, flappingSince: flaps ? now : member.flappingSince }
}

export function recentChanges({ changes }: Pick<Member, 'changes'>, now: number): readonly number[] {
  return changes.filter((at) => at > now - flappingMs && at <= now)
}

/** When a flapping member will have settled, unless it changes again. */
export function settlesAt({ changes, flappingSince }: Member): number {
  return (changes.at(-2) ?? flappingSince ?? 0) + flappingMs
}
