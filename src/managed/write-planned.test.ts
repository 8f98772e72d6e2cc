import { expect, test } from 'vitest'
import type { Documents } from '../store/documents/documents.ts'
import { checkKind } from './managed-document.ts'
import { createPlannedWriter } from './write-planned.ts'
import type { PlannedWrite } from './writing.ts'

test('many validations of one change let other requests proceed', async () => {
  const documents = { write: async () => [] } as unknown as Documents
  const active = { expect: () => () => {}, lengths: { of: () => 0, ofAccount: () => 0 } }
  const writer = createPlannedWriter({ documents, active, checkLimit: { count: 10, characters: 1000 } })
  const events: string[] = []
  const judge = () => {
    for (const begun = performance.now(); performance.now() - begun < 20; );
    events.push('judged')
  }
  const change = { kind: checkKind, account: 'acme', expected: 0, action: 'create', changes: '[]', body: '{}' } as const
  const planned = ['a', 'b', 'c'].map((id): PlannedWrite => ({ change: { ...change, id }, changes: [], check: null, judge: () => judge() }))
  setImmediate(() => events.push('another request'))
  expect(await writer.write({ keyId: 'k', keyName: 'k' }, planned)).toBe(true)
  expect(events).toEqual(['judged', 'another request', 'judged', 'judged'])
})
