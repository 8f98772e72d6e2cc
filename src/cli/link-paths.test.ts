import { expect, test } from 'vitest'
import { isOneOf, linkedPaths, linkedPosts } from './link-paths.ts'

test.each([
  ['/v1/slos', true],
  ['/v1/slos/', true],
  ['/v1/slos/shop', true],
  ['/v1/slos/shop/', true],
  ['/v1/slos//', false],
  ['/v1/slos/shop/days', false],
  ['/v1/alerts/explain', true],
  ['/v1/check-results/home/0193', true],
  ['/v1/check-results', false],
  ['/v1/check-groups/1/versions', true],
  ['/v1/check-groups', true],
  ['/v1/check-groups/1/other', false],
  ['/v1', false],
  ['', false],
])('whether a link can answer %j: %s', (path, expected) => {
  expect(isOneOf(path, linkedPaths)).toBe(expected)
})

test('a query is posted to a path that cannot be read with GET', () => {
  expect(linkedPosts.filter((path) => isOneOf(path, linkedPaths))).toEqual([])
  expect(isOneOf('/v1/analytics/query/', linkedPosts)).toBe(true)
  expect(isOneOf('/v1/analytics/query', linkedPaths)).toBe(false)
})
