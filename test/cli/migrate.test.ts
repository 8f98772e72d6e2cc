// @slow ci
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { openFolderDestination } from '../../src/store/embedded/folder-contents.ts'
import { command, configuredFolder, tidemark } from '../support/command.ts'
import { historyOf } from '../support/history.ts'
import { needing, programMissing } from '../support/needs.ts'
import { runProgram, startProgram } from '../support/program.ts'
import { storeManagedCheck } from '../support/stored-check.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const migrate = (from: string, to: string, ...more: readonly string[]) => command({}, ['migrate', '--from', from, '--to', to, ...more])

const options = { ...needing(await programMissing('prlimit')), timeout: 600_000 }

async function folderWith(results: number): Promise<string> {
  const folder = temporaryFolder()
  const contents = await openFolderDestination(folder)
  for (const batch of historyOf(results)) await contents.append(batch)
  await contents.close()
  return folder
}

test('all results are copied, compared and queried; the second time there is nothing to do', async () => {
  const [from, to] = [await folderWith(2500), temporaryFolder()]
  const first = await migrate(from, to)
  expect(first).toMatchObject({ stderr: '', exitCode: 0 })
  expect(first.stdout).toContain(`Copying 2,500 results of 2 checks from ${from} to ${to}.\n2,500 results copied`)
  expect(first.stdout).toContain('Compared all 2,500 results by check, start, location and id: none missing.')
  expect(first.stdout).toMatch(/Compared \d+ questions about 2 checks: the answers are identical\./)
  expect(first.stdout).toContain(`To switch, start the server with --data ${to}`)
  expect(first.stdout).not.toContain('is not copied')
  expect((await migrate(from, to, '--follow')).stdout).toContain('0 results copied')
})

test('managed checks are copied, too', async () => {
  const [from, to] = [await folderWith(10), temporaryFolder()]
  await storeManagedCheck(from, 'basket', 'The basket')
  expect(await migrate(from, to)).toMatchObject({ stderr: '', exitCode: 0 })
  expect((await tidemark(configuredFolder(), 'config', 'export', '--data', to)).stdout).toContain('name: The basket')
})

test('differing answers are listed, and the exit status is 1', async () => {
  const [from, to] = [await folderWith(300), temporaryFolder()]
  const [[first] = []] = historyOf(300)
  const other = await openFolderDestination(to)
  if (first) await other.append([{ ...first, result: { ...first.result, attempts: 7 } }])
  await other.close()
  const { stdout, stderr, exitCode } = await migrate(from, to)
  expect(exitCode).toBe(1)
  expect(stdout).toMatch(/answers differ:\n {2}homepage of acme, \S+ to \S+: all figures of the window\n/)
  expect(stderr).toContain(`${to} returns different answers than ${from}. Do not switch to it.`)
})

test('a source in use is copied as of now, a destination in use is rejected', async () => {
  const [from, to] = [await folderWith(100), temporaryFolder()]
  const writing = await openFolderDestination(from)
  expect((await migrate(from, to)).stdout).toContain(`New results in ${from} are not copied: stop its servers and run this again`)
  expect(await migrate(to, from)).toMatchObject({
    exitCode: 1,
    stderr: 'The data folder of --to is in use by a server. Stop it first: only the source may be in use.\n',
  })
  await writing.close()
})

test.each([
  ['a folder without results', () => [temporaryFolder(), temporaryFolder()], /^No results in the folder /],
  ['the same folder', async () => [await folderWith(1), '.'], /^--from and --to are the same place: /],
  ['a URL without a scheme', async () => [await folderWith(1), 'localhost:8123/x'], /^localhost:8123\/x is neither a folder nor a URL/],
  ['another protocol', async () => [await folderWith(1), 'clickhouse://localhost'], /is neither a folder nor a URL/],
  [
    'a server that does not respond',
    async () => [await folderWith(1), 'http://127.0.0.1:1/x'],
    /^ClickHouse does not respond at .*ECONNREFUSED/,
  ],
  ['a source that does not respond', () => ['http://127.0.0.1:1/x', temporaryFolder()], /^ClickHouse does not respond at .*ECONNREFUSED/],
  ['an invalid database name', async () => [await folderWith(1), 'http://127.0.0.1:1/a-b'], /^a-b cannot be the name/],
] as const)('%s is rejected with a clear message', async (_, places, words) => {
  const [from = '', to = ''] = await places()
  const { stdout, stderr, exitCode } = await migrate(from, to === '.' ? `${from}/.` : to)
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 })
  expect(stderr).toMatch(words)
})

test('damaged results are reported, and the copy is not called complete', async () => {
  const from = temporaryFolder()
  writeFileSync(join(from, 'tidemark.db'), 'this is no database, but it is long enough to be taken for one'.repeat(200))
  expect(await migrate(from, temporaryFolder())).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('is damaged') })
})

describe('a long copy', () => {
  let from: string
  beforeAll(async () => {
    from = await folderWith(60_000)
  }, 300_000)

  test('stops with a message when the disk is full, and continues once there is space, with little memory', options, async () => {
    const to = temporaryFolder()
    const limited = ['sh', '-c', 'trap "" XFSZ; exec prlimit --fsize=1000000 "$@"', 'sh']
    const full = await runProgram(['migrate', '--from', from, '--to', to], { wrapper: limited })
    expect(full.status).toBe(1)
    expect(full.stderr).toMatch(/^Nothing can be stored in .*\. Run the same command again to continue\.\n$/)
    const env = { NODE_OPTIONS: '--max-old-space-size=32' }
    const { status, stdout, stderr } = await runProgram(['migrate', '--from', from, '--to', to], { env })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain('Compared all 60,000 results by check, start, location and id: none missing.')
  })

  test('that is killed at any time continues the next time, without duplicate or missing results', { timeout: 600_000 }, async () => {
    const to = temporaryFolder()
    for (const delayMs of [0, 600]) {
      const copying = await startProgram(['migrate', '--from', from, '--to', to], {}, /(Copying)/)
      await new Promise((resolve) => setTimeout(resolve, delayMs))
      await copying.kill()
    }
    const { status, stdout } = await runProgram(['migrate', '--from', from, '--to', to])
    expect(status).toBe(0)
    expect(stdout).toContain('Compared all 60,000 results')
    expect(stdout).not.toContain('that the source lacks')
  })
})
