import { expect, test } from 'vitest'
import type { Check, State } from '../api/answers.ts'
import { checksInState, groupsOf, passingText, troubledIn } from './groups.ts'

const check = (id: string, tags: string[]): Check => ({
  id,
  name: id,
  checkType: 'X',
  activated: true,
  muted: false,
  frequency: 1,
  locations: [],
  tags,
  groupId: null,
  request: {},
  created_at: '',
  updated_at: '',
})

const statusesOf = (states: Readonly<Record<string, State>>) =>
  new Map(Object.entries(states).map(([checkId, state]) => [checkId, { state }]))

const checks = [check('a', ['shop', 'web']), check('b', ['shop']), check('c', ['mail']), check('d', [])]

test('a group has the worst state of its checks, and the worst group comes first', () => {
  const groups = groupsOf(checks, statusesOf({ a: 'passing', b: 'failing', c: 'degraded', d: 'passing' }))
  expect(groups.map(({ tag, worst, passing, active }) => [tag, worst, passing, active])).toEqual([
    ['shop', 'failing', 1, 2],
    ['mail', 'degraded', 0, 1],
    ['web', 'passing', 1, 1],
    [null, 'passing', 1, 1],
  ])
  expect(groups[0]?.members.map((member) => member.check.id)).toEqual(['b', 'a'])
})

test('of equally bad groups the one with most troubled checks comes first', () => {
  const many = [check('a', ['one']), check('b', ['three']), check('c', ['three']), check('d', ['three'])]
  const groups = groupsOf(many, statusesOf({ a: 'failing', b: 'failing', c: 'unknown', d: 'passing' }))
  expect(groups.map(({ tag }) => tag)).toEqual(['three', 'one'])
  expect(groups.map((group) => troubledIn(group).map((member) => member.check.id))).toEqual([['b', 'c'], ['a']])
})

test('a check without results is worse than a passing one, and a paused one does not count', () => {
  const [shop] = groupsOf(checks.slice(0, 2), statusesOf({ a: 'unknown', b: 'passing' }))
  expect([shop?.worst, shop?.passing, shop?.active]).toEqual(['unknown', 1, 2])
  const [paused] = groupsOf([check('b', ['shop'])], statusesOf({ b: 'paused' }))
  expect([paused?.worst, paused?.passing, paused?.active]).toEqual(['paused', 0, 0])
})

test('a check with two tags is counted once', () => {
  expect(checksInState(checks, statusesOf({ a: 'failing', b: 'failing', c: 'passing', d: 'passing' }), 'failing')).toBe(2)
})

test('a group shows how many of its checks pass, or that none runs', () => {
  expect(passingText({ passing: 4, active: 5 })).toBe('4 of 5 passing')
  expect(passingText({ passing: 0, active: 0 })).toBe('none running')
})

test('grouping takes time in proportion to the checks, however many tags they have', () => {
  let reads = 0
  const many = Array.from({ length: 300 }, (_, i) => {
    const one = check(`check-${i}`, [])
    return Object.defineProperty(one, 'tags', {
      get() {
        reads++
        return [`tag-${i}`, `tag-${i}`]
      },
    })
  })
  const groups = groupsOf(many, new Map())
  expect([groups.length, new Set(groups.map(({ members }) => members.length))]).toEqual([300, new Set([1])])
  expect(reads).toBeLessThanOrEqual(2 * many.length)
})
