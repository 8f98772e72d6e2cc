// @slow
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reservePort } from '../../../../test/clickhouse/engines/ports.ts'
import { atEnd } from '../../../../test/support/at-end.ts'
import { testTransport } from '../../../../test/support/channels.ts'
import { needing, programMissing } from '../../../../test/support/needs.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { exampleMessage } from '../example-message.ts'
import { alertmanager } from './index.ts'

const program = 'prometheus-alertmanager'
const missing = await programMissing(program)

/** An Alertmanager on 127.0.0.1 without a cluster; it is stopped after the test. */
async function startAlertmanager(): Promise<string> {
  const folder = temporaryFolder()
  const config = join(folder, 'alertmanager.yml')
  writeFileSync(config, 'route: { receiver: nobody }\nreceivers: [{ name: nobody }]\n')
  const address = `127.0.0.1:${await reservePort()}`
  const options = [`--config.file=${config}`, `--storage.path=${folder}`, `--web.listen-address=${address}`, '--cluster.listen-address=']
  const running = spawn(program, options, { stdio: 'ignore' })
  atEnd(async () => {
    if (running.exitCode !== null) return
    running.kill('SIGTERM')
    await once(running, 'exit')
  })
  const url = `http://${address}`
  await expect
    .poll(
      () =>
        fetch(`${url}/-/ready`).then(
          ({ ok }) => ok,
          () => false,
        ),
      { timeout: 30_000 },
    )
    .toBe(true)
  return url
}

test('a real Alertmanager lists an alert while it is open, once even if it is sent repeatedly, and resolves it', {
  ...needing(missing),
}, async () => {
  const url = await startAlertmanager()
  const transport = testTransport({ now: Date.now })
  const firing = async () =>
    (await (await fetch(`${url}/api/v2/alerts`)).json()) as { labels: Record<string, string>; annotations: Record<string, string> }[]
  const send = (event: 'open' | 'close') => {
    const example = exampleMessage(event, { id: `msg-${event}`, now: Date.now() })
    const subjects = example.subjects.map((subject) => ({
      ...subject,
      since: Date.now() - 60_000,
      links: { check: 'https://t.example/a b|c', run: null },
    }))
    return alertmanager.deliver(
      { ...example, subjects },
      { urls: [url], labels: { team: 'shop' } },
      transport,
      new AbortController().signal,
    )
  }
  for (let time = 0; time < 2; time++) expect(await send('open')).toMatchObject({ outcome: 'delivered' })
  await expect
    .poll(firing)
    .toMatchObject([{ labels: { alertname: 'TidemarkFailing', check: 'shop', team: 'shop' }, annotations: { summary: 'Shop is failing' } }])
  expect(await send('close')).toMatchObject({ outcome: 'delivered' })
  await expect.poll(firing).toEqual([])
})
