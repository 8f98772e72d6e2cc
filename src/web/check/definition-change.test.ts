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
] as const)('a definition that was changed %s says so', (_, at, words) => {
  expect(changed(at)).toMatch(words)
})
