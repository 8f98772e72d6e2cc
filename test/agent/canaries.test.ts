// @slow ci waiting
import { writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { reservePort } from '../clickhouse/engines/ports.ts'
import { tidemark } from '../support/command.ts'
import { anyRunType, exampleCheck } from '../support/example-config.ts'
import { startProgram } from '../support/program.ts'
import { newKey, serve } from '../support/server-process.ts'
import { httpServer } from '../support/servers.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const patient = { timeout: 90_000, interval: 200 }

/** A webhook, and the messages it received: events with titles. */
async function webhook() {
  const received: string[] = []
  const port = await httpServer(async (request, answer) => {
    let body = ''
    for await (const piece of request.setEncoding('utf8')) body += piece
    const { type, data } = JSON.parse(body) as { type: string; data: { title: string } }
    received.push(`${type} ${data.title}`)
    answer.end()
  })
  return { received, port }
}

/** A check of a server on this port. */
function exampleAt(port: number): Record<string, unknown> {
  return JSON.parse(JSON.stringify(exampleCheck(anyRunType(1))).replaceAll('http://127.0.0.1:8790', `http://127.0.0.1:${port}`))
}

test('a location is reported as unreachable only if its agents cannot reach its canaries', async () => {
  const folder = temporaryFolder()
  const { received, port: hook } = await webhook()
  const canary = await reservePort()
  const target = await httpServer((_, answer) => answer.end())
  const check = { ...exampleAt(target), id: 'shop', name: 'Shop', frequency: '24h', locations: ['eu'] }
  const account = {
    id: 'acme',
    checks: [check],
    channels: [{ id: 'hook', type: 'webhook', url: `http://127.0.0.1:${hook}/` }],
    alerts: [{ id: 'down', to: ['hook'] }],
    canary: { eu: [`127.0.0.1:${canary}`] },
  }
  writeFileSync(join(folder, 'tidemark.yaml'), JSON.stringify({ accounts: [account] }))
  const agentKey = await tidemark(folder, 'key', 'create', '--account', 'acme', '--name', 'agents', '--scopes', 'agent:eu')
  writeFileSync(join(folder, 'agent.key'), agentKey.stdout)
  const server = await serve(folder, { key: await newKey(folder, 'read,ingest') })

  const post = (hasFailures: boolean) =>
    server.post([{ checkId: 'shop', startedAt: Date.now(), runLocation: 'eu', hasFailures, error: hasFailures ? 'refused' : null }])
  await post(true)
  await expect.poll(() => received, patient).toEqual(['alert.open Shop is failing'])
  await post(false)
  await expect.poll(() => received.length, patient).toBe(2)

  const address = ['--server', server.url, '--key-file', join(folder, 'agent.key'), '--location', 'eu']
  await startProgram(['agent', ...address, '--data', join(folder, 'agent')], {}, /Tidemark agent (\S+) runs/)
  await expect.poll(() => received.slice(2), patient).toEqual(['alert.open eu cannot reach any of its canaries'])
  const found = async () => {
    const [eu] = (await (await fetch(`${server.url}/v1/locations`, { headers: server.headers })).json()) as {
      agents: { canary: string }[]
    }[]
    return eu?.agents.map((agent) => agent.canary)
  }
  expect(await found()).toEqual(['unreached'])
  await post(true)

  const reached = createServer((socket) => socket.destroy()).listen(canary, '127.0.0.1')
  onTestFinished(() => void reached.close())
  await expect.poll(() => received.slice(3, 4), patient).toEqual([expect.stringContaining('alert.close eu can reach its checks again')])
  expect(await found()).toEqual(['reached'])
}, 300_000)

/** A target and a canary that can be stopped together, like the network of a location. */
async function network() {
  const ports = [await reservePort(), await reservePort()] as const
  let servers: readonly Server[] = []
  let onProbe = () => {}
  const sockets = new Set<Socket>()
  const down = () => {
    for (const server of servers) server.close()
    for (const socket of sockets) socket.destroy()
    servers = []
  }
  const up = async () => {
    servers = [createHttpServer((_, answer) => answer.end()), createServer(() => onProbe())]
    for (const [i, server] of servers.entries()) {
      server.on('connection', (socket) => sockets.add(socket).size && socket.on('error', () => {}))
      await new Promise<void>((resolve) => server.listen(ports[i], '127.0.0.1', resolve))
    }
  }
  onTestFinished(down)
  await up()
  return {
    target: ports[0],
    canary: ports[1],
    up,
    down,
    /** Resolves at the next probe of the canary. */
    probed: () =>
      new Promise<void>((resolve) => {
        onProbe = resolve
      }),
  }
}

/** Resolves once the end of an outage was reported, without an alert of the check alone. */
async function loseNetwork(who: 'the server' | 'an agent'): Promise<void> {
  const folder = temporaryFolder()
  const { received, port: hook } = await webhook()
  const { target, canary, up, down, probed } = await network()
  const account = {
    id: 'acme',
    checks: [{ ...exampleAt(target), id: 'shop', name: 'Shop', frequency: '10s', locations: ['eu'] }],
    channels: [{ id: 'hook', type: 'webhook', url: `http://127.0.0.1:${hook}/` }],
    alerts: [{ id: 'down', to: ['hook'] }],
    canary: { eu: [`127.0.0.1:${canary}`] },
  }
  writeFileSync(join(folder, 'tidemark.yaml'), JSON.stringify({ accounts: [account] }))
  if (who === 'an agent') {
    const agentKey = await tidemark(folder, 'key', 'create', '--account', 'acme', '--name', 'agents', '--scopes', 'agent:eu')
    writeFileSync(join(folder, 'agent.key'), agentKey.stdout)
    const server = await serve(folder)
    const address = ['--server', server.url, '--key-file', join(folder, 'agent.key'), '--location', 'eu']
    await startProgram(['agent', ...address, '--data', join(folder, 'agent')], {}, /Tidemark agent (\S+) runs/)
  } else {
    await startProgram(['serve', '--config', join(folder, 'tidemark.yaml'), '--data', join(folder, 'data'), '--port', '0'])
  }
  // Its next regular probe is due after the next run of the check.
  await probed()
  await probed()
  down()
  await expect
    .poll(() => received, { ...patient, message: who })
    .toEqual([expect.stringMatching(/^alert.open eu (cannot reach any of its canaries|cannot reach 1 of 1)/)])
  await up()
  await expect
    .poll(() => received.slice(1), { ...patient, message: who })
    .toEqual([expect.stringContaining('alert.close eu can reach its checks again')])
}

test('a check that fails before the next probe of its canaries is not reported alone, whether the server or an agent runs it', async () => {
  await Promise.all([loseNetwork('the server'), loseNetwork('an agent')])
}, 300_000)
