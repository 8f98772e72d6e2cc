import { expect, test } from 'vitest'
import { sampleSheet } from '../../../test/support/sla-sheet.ts'
import { sheetCsv } from './csv.ts'
import { readSheetCsv } from './read-csv.ts'
import type { SheetCheck } from './sheet-schema.ts'

test('a table with thousands of checks and their outages is read in seconds', async () => {
  const [checkout] = sampleSheet.checks as [SheetCheck]
  const outages = Array.from({ length: 10 }, () => checkout.outages).flat()
  const checks = Array.from({ length: 2000 }, (_, i) => ({ ...checkout, id: `check-${i}`, outages: outages.slice(i % 20) }))
  const table = sheetCsv({ ...sampleSheet, checks })
  const start = performance.now()
  const read = await readSheetCsv(table)
  expect(performance.now() - start).toBeLessThan(10_000)
  expect(read?.sheet.checks).toEqual(checks)
})
