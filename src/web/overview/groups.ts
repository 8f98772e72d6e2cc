import { grouped } from '../../collections/lists.ts'
import type { Check, State } from '../api/answers.ts'
import type { Trouble } from '../view/failing-for.tsx'
import { stateOf } from '../view/state.tsx'

/** The checks of a tag, or those without tags. */
export type TagGroup = {
  readonly tag: string | null
  readonly members: readonly GroupMember[]
  readonly worst: State
  readonly passing: number
  /** All members except paused ones. */
  readonly active: number
}

type Statuses = ReadonlyMap<string, Trouble>

export type GroupMember = { readonly check: Check; readonly state: State; readonly status: Trouble | undefined }

/** Most urgent first. */
const urgency: readonly State[] = ['failing', 'degraded', 'unknown', 'passing', 'paused']

/**
 * One group per tag, and one for checks without tags. The worst come first, and among equally bad ones those with most troubled checks, so
 * that neighbours have similar sizes. A check with two tags is in both groups.
 */
export function groupsOf(checks: readonly Check[], statuses: Statuses): TagGroup[] {
  const labelled = checks.flatMap((check) => {
    const status = statuses.get(check.id)
    const member: GroupMember = { check, state: stateOf(check, status), status }
    const tags = new Set<string | null>(check.tags)
    return [...(tags.size === 0 ? [null] : tags)].map((tag) => ({ tag, member }))
  })
  const groups = [...grouped(labelled, ({ tag }) => tag)].map(([tag, all]) =>
    groupOf(
      tag,
      all.map(({ member }) => member),
    ),
  )
  const troubled = new Map(groups.map((group) => [group, troubledIn(group).length]))
  const order = (a: TagGroup, b: TagGroup) =>
    urgency.indexOf(a.worst) - urgency.indexOf(b.worst) ||
    (troubled.get(b) ?? 0) - (troubled.get(a) ?? 0) ||
    Number(a.tag === null) - Number(b.tag === null) ||
    ((a.tag ?? '') < (b.tag ?? '') ? -1 : 1)
  return groups.sort(order)
}

/** The checks of a group that need attention, the worst first. */
export function troubledIn({ members }: Pick<TagGroup, 'members'>): readonly GroupMember[] {
  return members.filter(({ state }) => state !== 'passing' && state !== 'paused')
}

export function groupName({ tag }: Pick<TagGroup, 'tag'>): string {
  return tag ?? 'without tags'
}

export function passingText({ passing, active }: Pick<TagGroup, 'passing' | 'active'>): string {
  return active === 0 ? 'none running' : `${passing} of ${active} passing`
}

export function checksInState(checks: readonly Check[], statuses: Statuses, state: State): number {
  return checks.filter((check) => stateOf(check, statuses.get(check.id)) === state).length
}

function groupOf(tag: string | null, members: readonly GroupMember[]): TagGroup {
  const count = (state: State) => members.filter((member) => member.state === state).length
  return {
    tag,
    members: members.toSorted((a, b) => urgency.indexOf(a.state) - urgency.indexOf(b.state)),
    worst: urgency.find((state) => count(state) > 0) ?? 'unknown',
    passing: count('passing'),
    active: members.length - count('paused'),
  }
}

/** Counts each failing check once, however many tags it has. */
export function failingInGroups(groups: readonly TagGroup[]): number {
  return new Set(groups.flatMap(({ members }) => members.filter(({ state }) => state === 'failing').map(({ check }) => check.id))).size
}
