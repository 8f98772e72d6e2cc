import { expect, test } from 'vitest'
import { calm } from '../../test/support/results.ts'
import { createSkipped } from './listeners.ts'
import type { FiledResult } from './store.ts'

const filed = (checkId: string, startedAt: number): FiledResult => ({
  check: { account: 'acme', checkId },
  result: { ...calm, id: null, startedAt, runLocation: 'eu', values: {}, pages: [] },
})

test('skipped results are collected as one range per check until they are taken', () => {
  const skipped = createSkipped()
  skipped.add([filed('shop', 2), filed('shop', 5), filed('mail', 3)])
  skipped.add([filed('shop', 1)])
  const byCheck = new Map([
    ['shop', { from: 1, to: 5 }],
    ['mail', { from: 3, to: 3 }],
  ])
  expect([...skipped.take()]).toEqual([['acme', { results: 4, byCheck }]])
  expect([...skipped.take()]).toEqual([])
})
