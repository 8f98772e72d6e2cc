import { minuteMs } from '../../time.ts'
import type { Incident } from './model.ts'

/** Once a rule has more incidents than this within a minute, further problems share one incident. */
export const maxSingles = 10
export const singlesMs = minuteMs
/** Bounded, since every change of a member writes the whole incident. */
const maxMembers = 1000

/** A digest waits this long for problems that begin together, and then sends changes once a minute. */
export const digestWaitMs = 10_000
export const digestEveryMs = minuteMs

type Openings = {
  openedLately(rule: string, now: number): number
  ofGroup(group: Pick<Incident, 'condition' | 'rule' | 'key'>): Incident | undefined
}
type Opening = { readonly rule: string; readonly condition: Incident['condition']; readonly now: number }

/** The digest with room for one more member, or the key of a new one; null while incidents of the rule are sent one by one. */
export function digestFor(draft: Openings, { rule, condition, now }: Opening): Incident | string | null {
  if (draft.openedLately(rule, now) < maxSingles) return null
  for (let number = 1; ; number++) {
    const key = `many:${number}`
    const open = draft.ofGroup({ condition, rule, key })
    if (!open) return key
    if (open.isDigest && open.members.length < maxMembers) return open
  }
}
