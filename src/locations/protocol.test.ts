import { expect, test } from 'vitest'
import { testCheck } from '../../test/support/catalogue.ts'
import { anyRunType } from '../../test/support/example-config.ts'
import { checkTypes } from '../checks/registry.ts'
import { checkFromServer, toAgent } from './protocol.ts'

test('an agent receives the interval of a failing check; without one from an older server it stays the same', () => {
  const check = { ...testCheck(anyRunType()), failingEveryMs: 20_000 }
  const sent = toAgent(check, { since: null, scripts: null, settings: check.settings })
  const received = JSON.parse(JSON.stringify(sent))
  expect(checkFromServer(received, check.account, checkTypes)?.failingEveryMs).toBe(20_000)
  const { failingEveryMs: _, ...older } = received
  expect(checkFromServer(older, check.account, checkTypes)?.failingEveryMs).toBeNull()
})
