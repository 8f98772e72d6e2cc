import type { TagGroup } from './groups.ts'

type Parted = { readonly troubled: readonly TagGroup[]; readonly calm: readonly TagGroup[] }

/**
 * Splits groups: troubled ones are large and list their checks, calm ones are small. Separating them avoids half-empty tiles next to large
 * ones.
 */
export function troubledAndCalm(groups: readonly TagGroup[]): Parted {
  const isCalm = ({ worst }: TagGroup) => worst === 'passing' || worst === 'paused'
  return { troubled: groups.filter((group) => !isCalm(group)), calm: groups.filter(isCalm) }
}

/** The groups of these tags, or all groups if no tags are given. */
export function groupsWithTags(groups: readonly TagGroup[], tags: readonly string[]): readonly TagGroup[] {
  return tags.length === 0 ? groups : groups.filter(({ tag }) => tag !== null && tags.includes(tag))
}
