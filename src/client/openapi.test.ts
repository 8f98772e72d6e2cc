// @slow
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript'
import { expect, test } from 'vitest'
import { openTestApp } from '../../test/support/app.ts'

test('openapi.ts has the types of the OpenAPI document', async () => {
  const api = await openTestApp({})
  const { text } = await api.get('/openapi.json', {})
  await api.close()
  const types = withoutAbsent(astToString(await openapiTS(text)))
  await expect(`${COMMENT_HEADER}${types}`).toMatchFileSnapshot('openapi.ts')
})

/** Drops members for absent parts, except those that let the type checker reject a call: methods, and parameters of operations. */
function withoutAbsent(types: string): string {
  return types
    .replace(/^ {8}parameters: \{\n(?: {12}\w+\?: never;\n)+ {8}\};\n(?= {8}(?:\/\*|get|put))/gm, '')
    .replace(/^ +(header|cookie|requestBody|options|head|trace)\?: never;\n/gm, '')
}
