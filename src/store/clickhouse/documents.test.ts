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

test('a server without deduplication tokens is not written to, since two processes could take one position', async () => {
  const statements: string[] = []
  const server = createServer(async (request, response) => {
    statements.push(`${request.url} ${await text(request)}`)
    response.end(JSON.stringify({ meta: [], data: [], rows: 0 }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const log = await connectDocumentLog({ url, database: 'tidemark', cluster: null, username: 'default', password: '', ca: null })
  onTestFinished(async () => {
    await log.close()
    server.closeAllConnections()
    server.close()
  })
  await expect(log.append([version])).rejects.toMatchObject({ publicReason: expect.stringContaining('too old') })
  expect(statements.join()).toContain('insert_deduplication_token')
  expect(statements.join()).not.toContain('INSERT')
  expect(await log.heads({ position: 0, ordinal: 0 }, 10)).toEqual([])
})
