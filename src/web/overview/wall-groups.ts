import type { CheckGroup } from './groups.ts'

/** What needs attention is large, with its checks; the rest is one line each. */
export function wallGroups(groups: readonly CheckGroup[], tags: readonly string[]): WallGroups {
  const shown = tags.length === 0 ? groups : groups.filter(({ tag }) => tag !== null && tags.includes(tag))
  const isCalm = ({ worst }: CheckGroup) => worst === 'passing' || worst === 'paused'
  return { shown, troubled: shown.filter((group) => !isCalm(group)), calm: shown.filter(isCalm) }
}

export type WallGroups = {
  readonly shown: readonly CheckGroup[]
  readonly troubled: readonly CheckGroup[]
  readonly calm: readonly CheckGroup[]
}
