import { DatabaseSync } from '@photostructure/sqlite'
import { expect, test } from 'vitest'
import { testCheck } from '../../../../test/support/catalogue.ts'
import { testResult } from '../../../../test/support/results.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { checkTypes } from '../../../checks/registry.ts'
import { createEmbeddedStore } from '../embedded-store.ts'
import { databaseFile } from './database.ts'
import { inspect } from './inspect.ts'

const [checkType] = checkTypes
if (!checkType) throw new Error('there are no check types')
const check = testCheck(checkType, { id: 'home' })

test('a damaged column is reported by its check and date', async () => {
  const directory = temporaryFolder()
  const store = await createEmbeddedStore({ directory, workers: 0 })
  await store.append([testResult(check, Date.UTC(2026, 10, 14, 12))])
  await store.seal()
  await store.close()
  const database = new DatabaseSync(databaseFile(directory))
  database.exec('UPDATE chunk SET crc = crc + 1')
  database.close()
  const { problems } = inspect(directory)
  expect(problems).toEqual([
    expect.stringMatching(new RegExp(`^Check home of ${check.account}, 2026-11-14: the column \\w+ is damaged\\.$`)),
  ])
})
