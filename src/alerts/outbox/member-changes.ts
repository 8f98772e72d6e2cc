import type { Incident, Member } from '../decide/model.ts'

/** Refers to the member by its position in the incident: with the texts of all members, the changes of a window may not fit into memory. */
export type PlacedChange = {
  readonly incident: string
  readonly place: number
  readonly subject: string
  readonly kind: 'opened' | 'closed'
  readonly at: number
}

type Within = { readonly from: number; readonly to: number; readonly checkId: string | null }

/** When checks joined and left an incident, in `[from, to)`. */
export function changesIn({ id, members }: Incident, { from, to, checkId }: Within): readonly PlacedChange[] {
  return members.flatMap((member, place) => {
    if (member.checkId === null || (checkId !== null && member.checkId !== checkId)) return []
    return changesOf(member).flatMap(([kind, at]) =>
      at !== null && at >= from && at < to ? [{ incident: id, place, subject: member.subject, kind, at }] : [],
    )
  })
}

const changesOf = ({ openedAt, closedAt }: Member): readonly (readonly [PlacedChange['kind'], number | null])[] => [
  ['closed', closedAt],
  ['opened', openedAt],
]

/** The newest first; changes of the same instant by incident, subject and kind. */
export function compareChanges(a: PlacedChange, b: PlacedChange): number {
  return b.at - a.at || compare(a.incident, b.incident) || compare(a.subject, b.subject) || compare(a.kind, b.kind)
}

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b))
