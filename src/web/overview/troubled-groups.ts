import type { CheckGroup } from './groups.ts'

type Parted = { readonly troubled: readonly CheckGroup[]; readonly calm: readonly CheckGroup[] }

/** What needs attention is large, with its checks; the rest is small and apart, so that none is half empty next to a large one. */
export function troubledAndCalm(groups: readonly CheckGroup[]): Parted {
  const isCalm = ({ worst }: CheckGroup) => worst === 'passing' || worst === 'paused'
  return { troubled: groups.filter((group) => !isCalm(group)), calm: groups.filter(isCalm) }
}

/** The groups of some tags; all of them without any. */
export function groupsWithTags(groups: readonly CheckGroup[], tags: readonly string[]): readonly CheckGroup[] {
  return tags.length === 0 ? groups : groups.filter(({ tag }) => tag !== null && tags.includes(tag))
}
