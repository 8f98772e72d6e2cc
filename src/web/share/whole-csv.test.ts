import { expect, test } from 'vitest'
import { loadWholeCsv } from './whole-csv.ts'

/** Returns one row per page. */
function tableOf(pages: number) {
  const asked: string[] = []
  const table = async (path: string) => {
    asked.push(path)
    return { csv: new Blob([`id,name\r\n${asked.length},x\r\n`]), next: asked.length < pages ? `a/${asked.length}` : null }
  }
  return { asked, table }
}

test('all pages of a table become one file with one header', async () => {
  const { asked, table } = tableOf(3)
  const { file, isCut } = await loadWholeCsv({ table }, '/v1/outages?format=csv', new AbortController().signal)
  expect(await file.text()).toBe('id,name\r\n1,x\r\n2,x\r\n3,x\r\n')
  expect([isCut, asked[1]]).toEqual([false, '/v1/outages?format=csv&cursor=a%2F1'])
})

test('an endless table is truncated and marked as such', async () => {
  const { asked, table } = tableOf(Number.POSITIVE_INFINITY)
  expect((await loadWholeCsv({ table }, '/v1/outages?format=csv', new AbortController().signal)).isCut).toBe(true)
  expect(asked).toHaveLength(200)
})
