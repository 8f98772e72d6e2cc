import { expect, test } from 'vitest'
import type { Check, CheckStatus } from '../api/answers.ts'
import { entryOf, filtered, listState, sorted } from './list-state.ts'

const check = (id: string) =>
  ({ id, name: id, checkType: 'ANY', activated: true, tags: [], locations: [], request: {} }) as unknown as Check
const days = { soon: 3, late: -1, far: 60, none: null }
const statuses = new Map(
  Object.entries(days).map(([id, sslDaysRemaining]) => [id, { state: 'passing', sslDaysRemaining } as unknown as CheckStatus]),
)
const entries = Object.keys(days).map((id) => entryOf(check(id), { statuses, summaries: new Map(), labels: new Map() }))
const stateOf = (query: string) => listState({ path: '/', query: new URLSearchParams(query), above: {}, zooms: [] })
const names = (query: string) => sorted(filtered(entries, stateOf(query)), stateOf(query)).map(({ check: { id } }) => id)

test('certificates are sorted by the days that are left, and checks without one come last', () => {
  expect(names('sort=certificate')).toEqual(['late', 'soon', 'far', 'none'])
})

test('only certificates that expire within 14 days are listed, expired ones too', () => {
  expect(names('certificate=14&sort=certificate')).toEqual(['late', 'soon'])
  expect(names('certificate=x')).toHaveLength(4)
})
