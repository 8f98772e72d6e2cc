import { expect, test } from 'vitest'
import { httpServer } from '../../../test/support/servers.ts'
import { callServer } from './remote.ts'

test.each(['', '/', '/tidemark', '/tidemark/'])('a server at %j is called below its path, as the account of the key', async (base) => {
  const port = await httpServer(({ url, headers }, response) =>
    response.end([url, headers.authorization, headers['x-service-account']].join(' ')),
  )
  const remote = { url: new URL(`http://127.0.0.1:${port}${base}`), key: 'k', account: 'acme' }
  const answer = await callServer(remote, '/v1/checks?limit=1')
  expect(await answer.text()).toBe(`${base.replace(/\/$/, '')}/v1/checks?limit=1 Bearer k acme`)
})
