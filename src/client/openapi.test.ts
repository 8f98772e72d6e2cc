// @slow
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript'
import { expect, test } from 'vitest'
import { openTestApp } from '../../test/support/app.ts'

test('openapi.ts has the types of what the API tells of itself', async () => {
  const api = await openTestApp({})
  const { text } = await api.get('/openapi.json', {})
  await api.close()
  const types = astToString(await openapiTS(text))
  await expect(`${COMMENT_HEADER}${types}`).toMatchFileSnapshot('openapi.ts')
})
