import { expect, test } from 'vitest'
import { testCheck } from '../../test/support/catalogue.ts'
import { anyRunType } from '../../test/support/example-config.ts'
import { testResult } from '../../test/support/results.ts'
import { createFirstFailures } from './first-failures.ts'

const check = testCheck(anyRunType(), { id: 'shop' })
const other = testCheck(anyRunType(), { id: 'bank' })
const result = (hasFailures: boolean, runLocation: string, of = check) => testResult(of, 0, { hasFailures, runLocation })

test('a check begins to fail once at each location, until it passes there', () => {
  const failures = createFirstFailures(new Set(['eu', 'us']))
  const begun = (...added: Parameters<typeof failures>[0]) => [...failures(added)]
  expect(begun(result(false, 'eu'), result(true, 'eu'))).toEqual(['eu'])
  expect(begun(result(true, 'eu'))).toEqual([])
  expect(begun(result(true, 'us'), result(true, 'eu', other))).toEqual(['us', 'eu'])
  expect(begun(result(false, 'us'), result(true, 'eu'))).toEqual([])
  expect(begun(result(false, 'eu'), result(true, 'eu'))).toEqual(['eu'])
})

test('other locations are left out', () => {
  const failures = createFirstFailures(new Set(['eu']))
  expect([...failures([result(true, 'us')])]).toEqual([])
})
