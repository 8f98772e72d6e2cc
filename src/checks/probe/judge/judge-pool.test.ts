// @slow
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { startProgram } from '../../../../test/support/program.ts'
import { newKey } from '../../../../test/support/server-process.ts'
import { httpServer } from '../../../../test/support/servers.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'

type Entry = { readonly hasFailures: boolean; readonly hasErrors: boolean; readonly error: string | null }

/** More checks than a queue has threads. */
const hostileChecks = 5
const chain = `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`
const nested = `[${new Array(4000).fill(chain).join(',')}]`

/** Starts the program with these checks, each of which runs at once, and returns a reader of their results. */
async function serveChecks(checks: readonly object[]) {
  const folder = temporaryFolder()
  const config = join(folder, 'tidemark.yaml')
  const listed = checks.map((check) => ({ type: 'API', timeout: '9s', ...check }))
  writeFileSync(config, JSON.stringify({ accounts: [{ id: 'acme', name: 'Acme', checks: listed }] }))
  const headers = { authorization: `Bearer ${await newKey(folder)}`, 'x-service-account': 'acme' }
  const { url } = await startProgram(['serve', '--config', config, '--data', join(folder, 'data'), '--port', '0'])
  return async (id: string): Promise<readonly Entry[]> => {
    const response = await fetch(`${url}/v1/check-results/${id}`, { headers })
    return (await response.json()) as readonly Entry[]
  }
}

test('a response that takes too long to evaluate fails with that reason, and other checks continue', async () => {
  const port = await httpServer((request, answer) => {
    if (request.url === '/healthy') return answer.end('{"status":"ok"}')
    answer.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(nested))
  })
  const requestTo = (path: string, property: string) => ({
    request: { url: `http://127.0.0.1:${port}${path}`, assertions: [{ source: 'jsonBody', property, comparison: 'notNull' }] },
  })
  const hostile = Array.from({ length: hostileChecks }, (_, i) => ({
    id: `hostile-${i}`,
    name: `Hostile ${i}`,
    frequency: '10m',
    ...requestTo('/', '$..a..a'),
  }))
  const resultsOf = await serveChecks([
    ...hostile,
    { id: 'healthy', name: 'Healthy', frequency: '10s', ...requestTo('/healthy', '$.status') },
  ])

  await expect.poll(async () => (await resultsOf('healthy')).length, { timeout: 90_000 }).toBeGreaterThan(2)
  expect((await resultsOf('healthy')).filter(({ hasFailures }) => hasFailures)).toEqual([])
  for (const { id } of hostile) await expect.poll(async () => (await resultsOf(id)).length, { timeout: 90_000 }).toBeGreaterThan(0)
  const found = (await Promise.all(hostile.map(({ id }) => resultsOf(id)))).flat()
  for (const { hasFailures, hasErrors, error } of found) {
    expect({ hasFailures, hasErrors }).toEqual({ hasFailures: true, hasErrors: false })
    expect(error).toMatch(/^the response could not be evaluated (within 2,000 ms|within 128 MB of memory|before the run timed out)$/)
  }
  expect(found.map(({ error }) => error)).toContainEqual(expect.stringContaining(' within '))
}, 300_000)
