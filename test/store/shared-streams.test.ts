// @slow clickhouse
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { serverMissing, sharedServer } from '../clickhouse/engines/server.ts'
import { configuredFolder } from '../support/command.ts'
import { anyRunType } from '../support/example-config.ts'
import { needing } from '../support/needs.ts'
import { type ServerProcess, serve } from '../support/server-process.ts'

const type = anyRunType()

describe('live results of two servers that share a ClickHouse database', { ...needing(await serverMissing()), timeout: 300_000 }, () => {
  let engineUrl: string
  beforeAll(async () => {
    engineUrl = await sharedServer()
  }, 300_000)

  /** The text that a stream has sent so far. */
  async function follow({ url, headers }: ServerProcess): Promise<() => string> {
    const ending = new AbortController()
    onTestFinished(() => ending.abort())
    const response = await fetch(`${url}/v1/check-results/stream`, { headers, signal: ending.signal })
    let text = ''
    const read = async () => {
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString()
    }
    read().catch(() => {})
    return () => text
  }

  test('are sent by both, whichever of them stores a result', async () => {
    const folder = configuredFolder()
    const env = { TIDEMARK_CLICKHOUSE_URL: `${engineUrl}/test_${randomUUID().replaceAll('-', '')}` }
    const first = await serve(folder, { env })
    const second = await serve(folder, { env, key: first.key })
    const streams = await Promise.all([follow(first), follow(second)])
    const id = randomUUID()
    await first.post([{ id, checkId: type.path, startedAt: Date.now(), runLocation: 'eu', hasFailures: false }])
    for (const sent of streams) await expect.poll(sent, { timeout: 60_000 }).toContain(id)
  })
})
