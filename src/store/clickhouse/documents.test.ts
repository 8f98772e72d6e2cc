import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { connectDocumentLog } from './documents.ts'

const version = {
  position: 1,
  ordinal: 1,
  kind: 'check',
  account: 'acme',
  id: 'shop',
  version: 1,
  at: 0,
  keyId: 'abcdefgh',
  keyName: 'ann',
  action: 'create',
  changes: '[]',
  body: '{}',
}

/** A log on a server that responds to statements with rows. */
async function logOver(answer: (sql: string, url: URL) => readonly (readonly unknown[])[], cluster: string | null = null) {
  const server = createServer(async (request, response) => {
    const rows = answer(await text(request), new URL(request.url ?? '', 'http://server'))
    response.end(JSON.stringify({ meta: [], data: rows, rows: rows.length }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const log = await connectDocumentLog({ url, database: 'tidemark', cluster, username: 'default', password: '', ca: null })
  onTestFinished(async () => {
    await log.close()
    server.closeAllConnections()
    server.close()
  })
  return log
}

test('nothing is written to a server without deduplication tokens, since two processes could use the same position', async () => {
  const statements: string[] = []
  const log = await logOver((sql, url) => {
    statements.push(`${url.search} ${sql}`)
    return []
  })
  await expect(log.append([version])).rejects.toMatchObject({ publicReason: expect.stringContaining('too old') })
  expect(statements.join()).toContain('insert_deduplication_token')
  expect(statements.join()).not.toContain('INSERT')
  expect(await log.heads({ position: 0, ordinal: 0 }, 10)).toEqual([])
})

test.each([
  ['a cluster is not waited for, and each version is deleted once', 'main', '0'],
  ['a server deletes them before they are asked for again', null, null],
])('when old versions are dropped, %s', async (_, cluster, timeout) => {
  const all = Array.from({ length: 5001 }, (_, i) => [i + 1, 0] as const)
  const deleted: number[] = []
  const timeouts: (string | null)[] = []
  const log = await logOver((sql, url) => {
    const position = Number(url.searchParams.get('param_lastPosition'))
    if (sql.includes('at < {end:Int64}')) return all.filter(([own]) => own > position).slice(0, 5000)
    if (!sql.startsWith('DELETE')) return []
    timeouts.push(url.searchParams.get('distributed_ddl_task_timeout'))
    deleted.push(...[...sql.matchAll(/\((\d+), 0\)/g)].map(([, own]) => Number(own)))
    return []
  }, cluster)
  await log.expire(1, 100)
  expect(deleted).toEqual(all.map(([position]) => position))
  expect(timeouts).toEqual([timeout, timeout])
})
