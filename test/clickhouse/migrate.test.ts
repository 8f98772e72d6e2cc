// @slow clickhouse
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { openFolderDestination } from '../../src/store/embedded/folder-contents.ts'
import { dayMs } from '../../src/time.ts'
import { configuredFolder, tidemark } from '../support/command.ts'
import { anyRunType } from '../support/example-config.ts'
import { historyOf } from '../support/history.ts'
import { needing } from '../support/needs.ts'
import { runProgram, startProgram } from '../support/program.ts'
import { newKey, type ServerProcess, serve } from '../support/server-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { serverMissing, sharedServer } from './engines/server.ts'

const type = anyRunType()
const patient = { timeout: 120_000, interval: 200 }
const start = Date.now() - 3 * dayMs

describe('a migration between a data folder and ClickHouse', { ...needing(await serverMissing()), timeout: 600_000 }, () => {
  let engineUrl: string
  beforeAll(async () => {
    engineUrl = await sharedServer()
  }, 300_000)
  const newDatabase = () => `${engineUrl}/test_${randomUUID().replaceAll('-', '')}`

  test('loses nothing in either direction while the server keeps accepting results', async () => {
    const folder = configuredFolder()
    const key = await newKey(folder)
    const url = newDatabase()
    const first = await serve(folder, { key })
    await first.post(rows('before', 600))
    const there = await startProgram(['migrate', '--from', dataOf(folder), '--to', url, '--follow'], { cwd: folder }, /(Everything up to)/)
    for (let batch = 0; batch < 5; batch++) await first.post(rows(`meanwhile-${batch}`, 50, batch))
    const expected = await answersOf(first)
    await first.stop()
    const moved = await there.ended
    expect({ status: moved.status, stderr: withoutVersion(moved.stderr) }).toEqual({ status: 0, stderr: '' })
    expect(moved.stdout).toContain(`No server is using ${dataOf(folder)} any more: copying the rest.`)

    const second = await serve(folder, { key, env: { TIDEMARK_CLICKHOUSE_URL: url } })
    expect(await answersOf(second)).toEqual(expected)
    await second.post(rows('after', 40))
    const changed = await answersOf(second)
    await second.stop()

    const back = await runProgram(['migrate', '--from', url, '--to', join(folder, 'back')], { cwd: folder })
    expect({ status: back.status, stderr: withoutVersion(back.stderr) }).toEqual({ status: 0, stderr: '' })
    expect(back.stdout).toContain('Compared all 890 results')
    const third = await startProgram(['serve', '--data', 'back', '--port', '0', '--no-runner', '--no-deadlines'], {
      cwd: folder,
      env: { TIDEMARK_LOG: 'error' },
    })
    expect(await answersOf({ url: third.url, headers: second.headers })).toEqual(changed)
  })

  test('with --follow continues from ClickHouse until it is interrupted', async () => {
    const folder = configuredFolder()
    const env = { TIDEMARK_CLICKHOUSE_URL: newDatabase() }
    const server = await serve(folder, { env })
    await server.post(rows('before', 200))
    const to = join(folder, 'data')
    const moving = await startProgram(
      ['migrate', '--from', env.TIDEMARK_CLICKHOUSE_URL, '--to', to, '--follow'],
      { cwd: folder },
      /(Everything up to)/,
    )
    await server.post(rows('meanwhile', 30))
    await server.stop()
    const { status, stdout, stderr } = await moving.stop()
    expect({ status, stderr: withoutVersion(stderr) }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain('Interrupted: copying the rest.')
    expect(stdout).toContain('Compared all 230 results')
    expect((await tidemark(folder, 'doctor')).stdout).toContain('230 results, each read and verified')
  })

  test('resumes after kill -9', async () => {
    const [from, url] = [temporaryFolder(), newDatabase()]
    const source = await openFolderDestination(from)
    for (const batch of historyOf(30_000)) await source.append(batch)
    await source.close()
    const copying = await startProgram(['migrate', '--from', from, '--to', url], { cwd: from }, /(Copying)/)
    await expect.poll(() => countOf(url), patient).toBeGreaterThan(0)
    await copying.kill()
    const { status, stdout } = await runProgram(['migrate', '--from', from, '--to', url], { cwd: from })
    expect(status).toBe(0)
    expect(stdout).toContain('Compared all 30,000 results by check, start, location and id: none missing.')
    expect(stdout).not.toContain('that the source lacks')
    expect(await countOf(url)).toBe(30_000)
  })

  test('is rejected for a source database without results, which is not created', async () => {
    const url = newDatabase()
    const { status, stderr } = await runProgram(['migrate', '--from', url, '--to', join(temporaryFolder(), 'new')])
    expect(status).toBe(1)
    expect(stderr).toMatch(/^No Tidemark results in the database test_\w+ of http:/)
    expect(await ask(`EXISTS TABLE ${databaseOf(url)}.results`)).toBe('0')
  })

  const ask = async (sql: string) => (await (await fetch(engineUrl, { method: 'POST', body: sql })).text()).trim()
  const countOf = async (url: string) => Number(await ask(`SELECT count() FROM ${databaseOf(url)}.results FINAL`).catch(() => '0')) || 0
})

const dataOf = (folder: string) => join(folder, 'data')
/** Removes the warning about an old server. */
const withoutVersion = (stderr: string) => stderr.replace(/^ClickHouse is of version .*\n/m, '')
const databaseOf = (url: string) => new URL(url).pathname.slice(1)

/** One result every 400 s; one in ten fails. */
function rows(name: string, count: number, shiftMs = 0): readonly object[] {
  return Array.from({ length: count }, (_, i) => ({
    checkId: type.path,
    id: `${name}-${i}`,
    startedAt: start + i * 400_000 + shiftMs,
    runLocation: ['eu', 'us'][i % 2],
    hasFailures: i % 10 === 0,
    [type.duration ?? '']: i / 8,
  }))
}

async function answersOf({ url, headers }: Pick<ServerProcess, 'url' | 'headers'>): Promise<readonly string[]> {
  const window = `from=${start}&to=${start + 3 * dayMs}`
  const paths = [
    `/v1/check-results/${type.path}?limit=100`,
    `/v1/analytics/${type.path}/${type.path}?metrics=${type.duration}_p95&groupBy=runLocation&${window}`,
    `/v1/analytics/outages?${window}`,
    `/v1/analytics/failures?${window}`,
    `/v1/checks/${type.path}`,
  ]
  return Promise.all(paths.map(async (path) => (await fetch(`${url}${path}`, { headers })).text()))
}
