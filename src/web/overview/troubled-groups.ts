import type { TagGroup } from './groups.ts'

type Parted = { readonly troubled: readonly TagGroup[]; readonly calm: readonly TagGroup[] }

/** What needs attention is large, with its checks; the rest is small and apart, so that none is half empty next to a large one. */
export function troubledAndCalm(groups: readonly TagGroup[]): Parted {
  const isCalm = ({ worst }: TagGroup) => worst === 'passing' || worst === 'paused'
  return { troubled: groups.filter((group) => !isCalm(group)), calm: groups.filter(isCalm) }
}

/** The groups of some tags; all of them without any. */
export function groupsWithTags(groups: readonly TagGroup[], tags: readonly string[]): readonly TagGroup[] {
  return tags.length === 0 ? groups : groups.filter(({ tag }) => tag !== null && tags.includes(tag))
}
