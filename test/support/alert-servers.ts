import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { anyRunType, exampleCheck } from './example-config.ts'
import { newKey, type ServerProcess, serve } from './server-process.ts'
import { httpServer } from './servers.ts'
import { temporaryFolder } from './temporary-folder.ts'

export type ReceivedMessage = {
  /** The name of the server that sent the message. */
  readonly by: string
  readonly id: string
  readonly type: string
  readonly title: string
  readonly checks: readonly string[]
}

export type AlertServer = ServerProcess & { readonly name: string }

type Options = {
  readonly checks: readonly string[]
  readonly rule?: object
  /** A location with a canary, whose checks run at an agent. */
  readonly agentLocation?: string
  readonly env: Readonly<Record<string, string>>
}

/**
 * Several servers over one store with the same checks and rule but separate data folders, and a webhook that records which server calls it.
 */
export async function alertServers({ checks, rule = {}, agentLocation, env }: Options) {
  const received: ReceivedMessage[] = []
  const port = await httpServer(async (request, answer) => {
    let body = ''
    for await (const piece of request.setEncoding('utf8')) body += piece
    const { type, data } = JSON.parse(body) as { type: string; data: { title: string; subjects?: { check: { id: string } | null }[] } }
    const id = String(request.headers['webhook-id'])
    received.push({
      by: (request.url ?? '').slice(1),
      id,
      type,
      title: data.title,
      checks: data.subjects?.flatMap(({ check }) => check?.id ?? []) ?? [],
    })
    answer.end()
  })
  // Each check has its own location, so that no location is reported as failing as a whole.
  const account = {
    id: 'acme',
    name: 'Acme',
    checks: checks.map((id) => ({ ...exampleCheck(anyRunType()), id, name: id, frequency: '10m', locations: [id] })),
    channels: [{ id: 'hook', type: 'webhook', url: `http://127.0.0.1:${port}/NAME` }],
    alerts: [
      { id: 'down', when: 'failing', to: ['hook'], ...rule },
      ...(agentLocation === undefined ? [] : [{ id: 'silent', when: 'silent', to: ['hook'] }]),
    ],
    ...(agentLocation !== undefined && { canary: { [agentLocation]: ['127.0.0.1:9'] } }),
  }
  const first = temporaryFolder()
  writeFileSync(join(first, 'tidemark.yaml'), JSON.stringify({ accounts: [account] }))
  const key = await newKey(first, 'read,ingest,operate,metrics')
  const agentKey = agentLocation === undefined ? null : await newKey(first, `agent:${agentLocation}`)
  const config = readFileSync(join(first, 'tidemark.yaml'), 'utf8')
  const folders = new Map<string, string>()

  /** A server that is started again under the same name reuses its data folder. */
  async function start(name: string): Promise<AlertServer> {
    const folder = folders.get(name) ?? temporaryFolder()
    folders.set(name, folder)
    writeFileSync(join(folder, 'tidemark.yaml'), config.replace('/NAME', `/${name}`))
    return { ...(await serve(folder, { key, env })), name }
  }

  async function ask<T>(server: AlertServer, path: string, method = 'GET', body?: object): Promise<T> {
    const headers = { ...server.headers, ...(body && { 'content-type': 'application/json' }) }
    const answer = await fetch(`${server.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const text = await answer.text()
    expect(answer.ok, `${method} ${path}: ${answer.status} ${text}`).toBe(true)
    return (text === '' ? null : JSON.parse(text)) as T
  }
  const leads = async (server: AlertServer) => (await ask<{ alerts?: string }>(server, '/health/ready')).alerts === 'sentHere'

  return {
    received,
    agentKey,
    start,
    ask,
    leads,
    /** Waits until one of these servers sends alerts, and returns it. */
    async leader(servers: readonly AlertServer[], timeout: number): Promise<AlertServer> {
      let found: AlertServer | undefined
      await expect
        .poll(
          async () => {
            const leading = await Promise.all(servers.map(leads))
            expect(leading.filter(Boolean).length).toBeLessThanOrEqual(1)
            found = servers[leading.indexOf(true)]
            return found?.name
          },
          { timeout, interval: 200 },
        )
        .toBeDefined()
      return found as AlertServer
    },
    post: (server: AlertServer, checkId: string, isDown: boolean) =>
      server.post([
        { checkId, startedAt: Date.now(), runLocation: checkId, hasFailures: isDown, error: isDown ? 'status 503, expected 200' : null },
      ]),
    /** Message types the webhook received about a check, without reminders and duplicates. */
    of: (checkId: string) =>
      received
        .filter(({ checks, id }, i) => checks.includes(checkId) && received.findIndex((other) => other.id === id) === i)
        .map(({ type }) => type)
        .filter((type) => type !== 'alert.reminder'),
    repeats: () => received.length - new Set(received.map(({ id }) => id)).size,
  }
}
