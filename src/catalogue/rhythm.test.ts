import { expect, test } from 'vitest'
import { testCheck } from '../../test/support/catalogue.ts'
import { pingedTypes, runTypes } from '../../test/support/example-config.ts'
import { rhythmOf } from './rhythm.ts'

test.each(runTypes)('a check of type $type has its period, in parallel or round robin', (checkType) => {
  const check = testCheck(checkType, { everyMs: 30_000, locations: ['a', 'b', 'c'], runParallel: false })
  expect(rhythmOf(check)).toEqual({ periodMs: 30_000, locations: 3, parallel: false })
  expect(rhythmOf({ ...check, runParallel: true, locations: ['a'] })).toEqual({ periodMs: 30_000, locations: 1, parallel: true })
})

test.each(pingedTypes)('a check of type $type has its period and grace', (checkType) => {
  const check = testCheck(checkType)
  const { periodMs, graceMs } = checkType.pingSettings?.(check.settings) ?? {}
  expect(rhythmOf(check)).toEqual({ periodMs, graceMs })
})
