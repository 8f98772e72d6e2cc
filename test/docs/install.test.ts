// @slow ci
import { spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { reservePort } from '../clickhouse/engines/ports.ts'
import { command, configuredFolder } from '../support/command.ts'
import { openEvents } from '../support/event-stream.ts'
import { anyRunType } from '../support/example-config.ts'
import { needing, programMissing } from '../support/needs.ts'
import { startNginx } from '../support/nginx.ts'
import { type ServerProcess, serve } from '../support/server-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const text = readFileSync(fileURLToPath(new URL('../../docs/install.md', import.meta.url)), 'utf8')
const blocksOf = (language: string) =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, block = '']) => block)
const certificate = fileURLToPath(new URL('../support/certificates/test-only-localhost', import.meta.url))
const [ownHost = '', belowPath = ''] = blocksOf('nginx')
const type = anyRunType()

const result = { checkId: type.path, runLocation: 'default', hasFailures: false }

/** What must work through a proxy: the page, the API, streams, large posts and commands. */
async function expectServed(url: string, { headers, key }: ServerProcess): Promise<void> {
  const page = await (await fetch(`${url}/`)).text()
  const files = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path)
  for (const path of files) expect((await fetch(new URL(path, url))).status, path).toBe(200)
  expect((await fetch(`${url}/docs`)).status).toBe(200)

  const list = await fetch(`${url}/v1/checks?limit=1`, { headers })
  const next = /<([^>]+)>; rel="next"/.exec(list.headers.get('link') ?? '')?.[1] ?? ''
  expect((await fetch(new URL(next, url), { headers })).status).toBe(200)

  const stream = await openEvents(`${url}/v1/check-results/stream`, headers)
  const rows = Array.from({ length: 3000 }, (_, i) =>
    JSON.stringify({ ...result, startedAt: Date.now() - i * 1000, error: 'x'.repeat(700) }),
  )
  const body = rows.join('\n')
  expect(body.length).toBeGreaterThan(2_000_000)
  const posted = await fetch(`${url}/v1/check-results`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-ndjson' },
    body,
  })
  expect([posted.status, await posted.json()]).toMatchObject([200, { accepted: 3000 }])
  await expect.poll(() => stream.events.length).toBeGreaterThan(0)
  stream.close()

  const env = { TIDEMARK_URL: url, TIDEMARK_KEY: key, TIDEMARK_ACCOUNT: 'acme' }
  const { exitCode, stderr } = await command(env, ['report', type.path])
  expect([exitCode, stderr]).toEqual([0, ''])
}

describe('nginx', needing(await programMissing('nginx')), () => {
  test('works with the example for a path of another site', { timeout: 120_000 }, async () => {
    const server = await serve(configuredFolder(), { env: { TIDEMARK_BASE_PATH: '/tidemark' } })
    const port = await reservePort()
    const location = belowPath.replace('127.0.0.1:8787', new URL(server.url).host)
    await startNginx(`server { listen 127.0.0.1:${port};\n${location}}`, `http://127.0.0.1:${port}/tidemark/health/live`)
    await expectServed(`http://127.0.0.1:${port}/tidemark`, server)
    expect((await fetch(`http://127.0.0.1:${port}/health/live`)).status).toBe(404)
  })

  test('works with the example for its own host name', { timeout: 120_000 }, async () => {
    const server = await serve(configuredFolder())
    const [port, tlsPort] = [await reservePort(), await reservePort()]
    const example = ownHost
      .replace('listen 443 ssl;', `listen 127.0.0.1:${port}; listen 127.0.0.1:${tlsPort} ssl;`)
      .replaceAll('/etc/ssl/tidemark.example.com', certificate)
      .replace('127.0.0.1:8787', new URL(server.url).host)
    await startNginx(example, `http://127.0.0.1:${port}/health/live`)
    await expectServed(`http://127.0.0.1:${port}`, server)
  })
})

test.each(['tidemark.service', 'tidemark-agent@.service'])(
  'systemd accepts %s',
  needing(await programMissing('systemd-analyze')),
  (name) => {
    const file = join(temporaryFolder(), name.replace('@', '@eu-west-1'))
    copyFileSync(new URL(`../../deploy/systemd/${name}`, import.meta.url), file)
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' })
    expect([status, stdout + stderr]).toEqual([0, ''])
  },
)

test('nginx accepts the proxy config of the cluster', needing(await programMissing('nginx')), () => {
  const folder = temporaryFolder()
  const text = readFileSync(new URL('../../deploy/cluster/nginx.conf', import.meta.url), 'utf8')
  // Debian's nginx is older than the image of the cluster, and cannot re-resolve names.
  const hosts = text.replaceAll(/server [\w-]+:(\d+) resolve/g, (_, port: string) => `server 127.0.0.1:${port}`)
  writeFileSync(join(folder, 'nginx.conf'), `pid ${folder}/nginx.pid;\n${hosts}`)
  const { status, stderr } = spawnSync('nginx', ['-t', '-p', folder, '-c', 'nginx.conf', '-e', 'stderr'], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, expect.stringContaining('test is successful')])
})
