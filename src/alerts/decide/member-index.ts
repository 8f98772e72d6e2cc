import type { Incident, Member } from './model.ts'

const indexes = new WeakMap<readonly Member[], ReadonlyMap<string, Member>>()

/** The member of a subject. Indexed on first use: one decision may ask for thousands of members of the same incident. */
export function memberOf({ members }: Pick<Incident, 'members'>, subject: string): Member | undefined {
  const index = indexes.get(members) ?? new Map(members.map((member) => [member.subject, member]))
  indexes.set(members, index)
  return index.get(subject)
}
