import { minuteMs } from '../../time.ts'
import type { Incident } from './model.ts'

/** More incidents of one rule than this within a minute are not sent one by one: what begins then shares an incident. */
export const maxSingles = 10
export const singlesMs = minuteMs
/** Every change of a member writes the whole incident. */
const maxMembers = 1000

/** A digest waits for what begins at the same time, and then sends changes once a minute. */
export const digestWaitMs = 10_000
export const digestEveryMs = minuteMs

type Openings = {
  openedLately(rule: string, now: number): number
  ofGroup(group: Pick<Incident, 'condition' | 'rule' | 'key'>): Incident | undefined
}
type Opening = { readonly rule: string; readonly condition: Incident['condition']; readonly now: number }

/** The shared incident that takes one more of a rule, or the key of a new one; null while incidents of the rule are sent one by one. */
export function digestFor(draft: Openings, { rule, condition, now }: Opening): Incident | string | null {
  if (draft.openedLately(rule, now) < maxSingles) return null
  for (let number = 1; ; number++) {
    const key = `many:${number}`
    const open = draft.ofGroup({ condition, rule, key })
    if (!open) return key
    if (open.isDigest && open.members.length < maxMembers) return open
  }
}
