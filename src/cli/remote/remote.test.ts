import { expect, test } from 'vitest'
import { httpServer } from '../../../test/support/servers.ts'
import { callServer, remoteOf } from './remote.ts'

test.each(['', '/', '/tidemark', '/tidemark/'])('a server at %j is called below its path, as the account of the key', async (base) => {
  const port = await httpServer(({ url, headers }, response) =>
    response.end([url, headers.authorization, headers['x-service-account']].join(' ')),
  )
  const remote = { url: new URL(`http://127.0.0.1:${port}${base}`), key: 'k', account: 'acme' }
  const answer = await callServer(remote, '/v1/checks?limit=1')
  expect(await answer.text()).toBe(`${base.replace(/\/$/, '')}/v1/checks?limit=1 Bearer k acme`)
})

test('a page of a proxy, or a redirect of a post, is no answer of the server', async () => {
  const port = await httpServer(({ method }, response) =>
    method === 'POST'
      ? response.writeHead(302, { location: '/login' }).end()
      : response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Log in</h1>'),
  )
  const remote = { url: new URL(`http://127.0.0.1:${port}/base`), key: 'k', account: 'acme' }
  const page = `http://127.0.0.1:${port}/base/v1/check-results/stream is an HTML page and not an answer of Tidemark.`
  await expect(callServer(remote, '/v1/check-results/stream')).rejects.toThrow(page)
  await expect(callServer(remote, '/v1/check-results', { method: 'POST' })).rejects.toThrow('redirects to /login.')
})

test.each([
  ['localhost:8787', 'localhost:8787 is not a URL such as http://127.0.0.1:8787.'],
  ['127.0.0.1:8787', '127.0.0.1:8787 is not a URL'],
  ['ftp://127.0.0.1/', 'ftp://127.0.0.1/ is not a URL'],
  ['https://ann:secret@tidemark.example/', /^The address of the server must not have a user or a password/],
])('the address %s is rejected with a hint', (address, message) => {
  expect(() => remoteOf(address, { key: 'k', account: 'acme' })).toThrow(message)
})
