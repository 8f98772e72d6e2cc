// @slow
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
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

test('agents say whether their location reaches its canaries, and nobody else does', async () => {
  const folder = temporaryFolder()
  const told: string[] = []
  const hook = await httpServer(async (request, answer) => {
    let body = ''
    for await (const piece of request.setEncoding('utf8')) body += piece
    const { type, data } = JSON.parse(body) as { type: string; data: { title: string } }
    told.push(`${type} ${data.title}`)
    answer.end()
  })
  const canary = await reservePort()
  const target = await httpServer((_, answer) => answer.end())
  const example = JSON.stringify(exampleCheck(anyRunType(1))).replaceAll('http://127.0.0.1:8790', `http://127.0.0.1:${target}`)
  const check = { ...JSON.parse(example), id: 'shop', name: 'Shop', frequency: '24h', locations: ['eu'] }
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
  await expect.poll(() => told, patient).toEqual(['alert.open Shop is failing'])
  await post(false)
  await expect.poll(() => told.length, patient).toBe(2)

  const address = ['--server', server.url, '--key-file', join(folder, 'agent.key'), '--location', 'eu']
  await startProgram(['agent', ...address, '--data', join(folder, 'agent')], {}, /Tidemark agent (\S+) runs/)
  await expect.poll(() => told.slice(2), patient).toEqual(['alert.open eu can reach none of its canaries'])
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
  await expect.poll(() => told.slice(3, 4), patient).toEqual([expect.stringContaining('alert.close eu can reach its checks again')])
  expect(await found()).toEqual(['reached'])
}, 300_000)
