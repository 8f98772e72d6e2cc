import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderWith } from '../../../../test/support/scripts.ts'
import { errorSummary, readReport } from './report.ts'

test('an error becomes one sentence without colours, call logs and file positions', () => {
  const error = 'Error: \u001b[2mexpect(\u001b[22mreceived).toBe(expected)\n\nExpected: 2\nReceived: 1\n\nCall log:\n  - waiting\n'
  expect(errorSummary(error)).toBe('expect(received).toBe(expected); Expected: 2; Received: 1')
  expect(errorSummary('TypeError: no\n    at one (/home/me/check.ts:1:2)\n    at two')).toBe('TypeError: no')
})

test('there is no report if the file is missing or truncated', async () => {
  const folder = await folderWith({ 'broken.json': '{"stats": {' })
  expect(await readReport(join(folder, 'none.json'))).toBeNull()
  expect(await readReport(join(folder, 'broken.json'))).toBeNull()
})
