import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkTypes } from '../../src/checks/registry.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { checkTypesPage } from './check-types.ts'

let api: TestApp
beforeAll(async () => {
  api = await openTestApp({})
})
afterAll(() => api.close())

test('docs/openapi.json is the description that the API serves', async () => {
  const { body } = await api.get('/openapi.json', {})
  const text = JSON.stringify(body, null, 2).replace(/\{\s+("\$ref": "[^"]+")\s+\}/g, '{ $1 }')
  await expect(`${text}\n`).toMatchFileSnapshot('../../docs/openapi.json')
})

test('docs/check-types.md is what the registry declares', async () => {
  await expect(checkTypesPage(checkTypes)).toMatchFileSnapshot('../../docs/check-types.md')
})
