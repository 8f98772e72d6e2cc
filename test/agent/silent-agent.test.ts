// @slow ci waiting
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { expect, test } from 'vitest'
import { alertFileName, parsedBody } from '../../src/alerts/outbox/alert-file.ts'
import type { SeenAgent } from '../../src/alerts/outbox/alert-records.ts'
import { anyRunType, exampleCheck } from '../support/example-config.ts'
import { newKey, type ServerProcess, serve } from '../support/server-process.ts'
import { httpServer } from '../support/servers.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('a silent agent is reported although the server was killed in between, and one that stops is not', {
  timeout: 300_000,
}, async () => {
  const titles: string[] = []
  const port = await httpServer(async (request, answer) => {
    let body = ''
    for await (const piece of request.setEncoding('utf8')) body += piece
    titles.push((JSON.parse(body) as { data: { title: string } }).data.title)
    answer.end()
  })
  const folder = temporaryFolder()
  const checks = [{ ...exampleCheck(anyRunType()), id: 'shop', name: 'Shop', frequency: '30s', locations: ['eu'] }]
  const channels = [{ id: 'hook', type: 'webhook', url: `http://127.0.0.1:${port}/` }]
  const account = { id: 'acme', name: 'Acme', checks, channels, alerts: [{ id: 'silent', when: 'silent', to: ['hook'] }] }
  writeFileSync(join(folder, 'tidemark.yaml'), JSON.stringify({ accounts: [account] }))
  const agentKey = await newKey(folder, 'agent:eu')
  const key = await newKey(folder)
  const report = async ({ url }: ServerProcess, instance: string, more = '') => {
    const asked = `protocol=1&location=eu&instance=${instance}&name=${instance}&session=1${more}`
    expect((await fetch(`${url}/v1/agents/checks?${asked}`, { headers: { authorization: `Bearer ${agentKey}` } })).status).toBe(200)
  }
  const agentsKnown = async ({ url, headers }: ServerProcess) => {
    const answer = (await (await fetch(`${url}/v1/alerts/explain?checkId=shop`, { headers })).json()) as {
      rules: { reasons: { text: string }[] }[]
    }
    return answer.rules.flatMap(({ reasons }) => reasons.flatMap(({ text }) => /^Agent (\w+)/.exec(text)?.[1] ?? [])).sort()
  }

  const first = await serve(folder, { key })
  for (const agent of ['gone', 'left', 'stays']) await report(first, agent)
  await expect.poll(() => agentsKnown(first), { timeout: 30_000 }).toEqual(['gone', 'left', 'stays'])
  await report(first, 'left', '&stopping=true')
  await expect.poll(() => agentsKnown(first), { timeout: 10_000 }).toEqual(['gone', 'stays'])
  await expect.poll(() => agentsStopped(join(folder, 'data')), { timeout: 10_000 }).toEqual(['left'])
  await first.kill()

  const second = await serve(folder, { key })
  /** The remaining agent reports and sends results. */
  const goOn = async () => {
    await report(second, 'stays')
    await second.post([{ checkId: 'shop', startedAt: Date.now(), runLocation: 'eu', hasFailures: false }])
    return titles
  }
  const silent = 'Agent gone of eu is silent: no results from it'
  await expect.poll(goOn, { timeout: 150_000, interval: 2000 }).toEqual([silent])
  await report(second, 'gone')
  await expect
    .poll(goOn, { timeout: 60_000, interval: 2000 })
    .toEqual([silent, expect.stringContaining('Agent gone of eu is no longer silent')])
  await second.stop()
})

/** Read from the file, since a server shows a stop shortly before it is stored. */
function agentsStopped(directory: string): readonly string[] {
  const database = new DatabaseSync(join(directory, alertFileName), { readOnly: true, timeout: 10_000 })
  try {
    const agents = database
      .prepare('SELECT body FROM agents')
      .all()
      .map(parsedBody<SeenAgent>)
    return agents.filter(({ stoppedSession }) => stoppedSession !== null).map(({ instance }) => instance)
  } finally {
    database.close()
  }
}
