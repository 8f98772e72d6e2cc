import { expect, test } from 'vitest'
import type { State } from '../api/answers.ts'
import { groupsWithTags, troubledAndCalm } from './troubled-groups.ts'

const group = (tag: string | null, worst: State) => ({ tag, worst, members: [], passing: 0, active: 0 })
const groups = [group('shop', 'failing'), group('jobs', 'unknown'), group('web', 'passing'), group(null, 'paused')]
const tagsOf = (of: readonly { readonly tag: string | null }[]) => of.map(({ tag }) => tag)

test('troubled groups are separated from calm ones', () => {
  const { troubled, calm } = troubledAndCalm(groups)
  expect([tagsOf(troubled), tagsOf(calm)]).toEqual([
    ['shop', 'jobs'],
    ['web', null],
  ])
})

test('a wall with selected tags shows only these', () => {
  expect(tagsOf(groupsWithTags(groups, ['web', 'jobs']))).toEqual(['jobs', 'web'])
  expect(groupsWithTags(groups, [])).toEqual(groups)
})
