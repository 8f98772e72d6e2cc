import { expect, test } from 'vitest'
import { selectChecks } from './selection.ts'

const check = (id: string, ...tags: readonly string[]) => ({ id, tags })
const listed = [check('checkout', 'shop', 'web'), check('search', 'shop'), check('blog', 'web'), check('router')]

test.each([
  [[], [], ['checkout', 'search', 'blog', 'router']],
  [['shop'], [], ['checkout', 'search']],
  [['shop', 'web'], [], ['checkout', 'search', 'blog']],
  [[], ['router', 'blog'], ['blog', 'router']],
  [['web'], ['checkout', 'search'], ['checkout']],
])('the tags %j and the ids %j select %j', (tags, checks, ids) => {
  expect(selectChecks(listed, { tags, checks }).map(({ id }) => id)).toEqual(ids)
})

test.each([
  [['shopp'], [], 'No check has the tag shopp. Nearest: shop.', 2],
  [['shop', 'shopp'], [], 'No check has the tag shopp. Nearest: shop.', 2],
  [[], ['serch'], 'No check with the id serch. Nearest: search.', 2],
  [[], ['blog', 'shop'], 'No check with the id shop. Nearest: none.', 2],
  [['shop'], ['blog'], 'No check matches.', 1],
])('the tags %j and the ids %j are rejected: %s', (tags, checks, message, exitCode) => {
  expect(() => selectChecks(listed, { tags, checks })).toThrow(expect.objectContaining({ message, exitCode }))
})

test('without checks nothing can be selected', () => {
  expect(() => selectChecks([], { tags: [], checks: [] })).toThrow('No check matches.')
})
