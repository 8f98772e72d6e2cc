import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { clickHouseServer } from './clickhouse-server.ts'

const configured = {
  url: 'https://ch.example.com:8443',
  otherUrls: ['https://ch-2.example.com:8443'],
  database: 'monitoring',
  cluster: 'main',
  username: 'tidemark',
  passwordFile: 'password',
  caFile: null,
}

test('without a setting there is no server', async () => {
  expect(await clickHouseServer({ clickHouseUrl: null }, null, '.')).toBeNull()
})

test('files are relative to the config file, and an unreadable one is named', async () => {
  const folder = temporaryFolder()
  await expect(clickHouseServer({ clickHouseUrl: null }, configured, folder)).rejects.toThrow(
    'Cannot read password, which the config file sets for ClickHouse (ENOENT).',
  )
  writeFileSync(join(folder, 'password'), 'secret\n')
  const { url, otherUrls, database, cluster, username } = configured
  expect(await clickHouseServer({ clickHouseUrl: null }, configured, folder)).toEqual({
    url,
    otherUrls,
    database,
    cluster,
    username,
    password: 'secret',
    ca: null,
  })
})

test('parts of the URL in the environment override the config file', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'password'), 'secret')
  const plain = await clickHouseServer({ clickHouseUrl: 'http://127.0.0.1:8123' }, configured, folder)
  expect(plain).toMatchObject({ url: 'http://127.0.0.1:8123', database: 'monitoring', username: 'tidemark', password: 'secret' })
  const whole = await clickHouseServer({ clickHouseUrl: 'http://me:p%40ss@127.0.0.1:8123/other' }, null, folder)
  expect(whole).toEqual({
    url: 'http://127.0.0.1:8123',
    otherUrls: [],
    database: 'other',
    cluster: null,
    username: 'me',
    password: 'p@ss',
    ca: null,
  })
})
