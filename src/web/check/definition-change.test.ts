import { expect, test } from 'vitest'
import { dayMs, hourMs, minuteMs } from '../../time.ts'
import { definitionChange } from './definition-change.ts'

const since = Date.UTC(2026, 10, 14, 10)
const changed = (at: number, created = since - 90 * dayMs) =>
  definitionChange({ created_at: new Date(created).toISOString(), updated_at: new Date(at).toISOString() }, since)

test.each([
  ['shortly before it began to fail', since - 5 * minuteMs, /^changed 5 min before$/],
  ['long before', since - 2 * hourMs, /^not changed since /],
  ['after it began to fail', since + minuteMs, /^changed since then, /],
  ['never', since - 90 * dayMs, /^not changed since it was added, /],
] as const)('a definition that was changed %s is described as such', (_, at, words) => {
  expect(changed(at)).toMatch(words)
})

test('for a check that does not fail, the last change is shown', () => {
  const [created_at, updated_at] = [since - 2 * dayMs, since - dayMs].map((at) => new Date(at).toISOString()) as [string, string]
  expect(definitionChange({ created_at, updated_at }, null)).toMatch(/^last changed /)
  expect(definitionChange({ created_at, updated_at: created_at }, null)).toMatch(/^not changed since it was added, /)
})

test('a change counts as shortly before for an hour, up to the start of the failure', () => {
  expect([changed(since - hourMs), changed(since - hourMs + 1), changed(since)]).toEqual([
    expect.stringMatching(/^not changed since /),
    'changed 59 min before',
    'changed 0 s before',
  ])
})
