import { expect, onTestFinished, test } from 'vitest'
import { openTestApp } from '../../../test/support/app.ts'
import { testCatalogue, testCheck } from '../../../test/support/catalogue.ts'
import { anyRunType } from '../../../test/support/example-config.ts'
import { testResult } from '../../../test/support/results.ts'
import { minuteMs } from '../../time.ts'

const checks = ['blog', 'shop'].map((id) => testCheck(anyRunType(), { id }))
const start = Date.UTC(2026, 10, 14)

test.each(['/v1/check-statuses', '/v1/check-statuses/shop'])('%s asks readers once a minute, and after a newer result', async (url) => {
  let now = start
  let questions = 0
  const { get, store, close } = await openTestApp({
    catalogue: testCatalogue({ checks }),
    results: checks.map((check) => testResult(check, start - minuteMs)),
    now: () => now,
    instead: (store) => ({
      ...store,
      aggregate: (...question) => {
        questions++
        return store.aggregate(...question)
      },
    }),
  })
  onTestFinished(close)
  const first = await get(url)
  expect((await get(url)).body).toEqual(first.body)
  expect(questions).toBe(1)
  await store.append(checks.map((check) => testResult(check, start)))
  await get(url)
  await get(url)
  expect(questions).toBe(2)
  now += minuteMs
  await get(url)
  expect(questions).toBe(3)
})
