import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { openVault } from './secret-key.ts'

const key = '0123456789abcdef'.repeat(4)
const place = { account: 'acme', name: 'TOKEN' }

test('the secret key comes from the environment or a file', async () => {
  const file = join(temporaryFolder(), 'secret.key')
  writeFileSync(file, `${key}\n`)
  const given = await openVault({ secretKey: key, secretKeyFile: null })
  const read = await openVault({ secretKey: null, secretKeyFile: file })
  expect(read?.open(given?.seal('a-secret', place) ?? '', place)).toBe('a-secret')
  expect(await openVault({ secretKey: null, secretKeyFile: null })).toBeNull()
})

test('an invalid key is reported, without showing it', async () => {
  for (const text of ['hunter2', key.slice(1), `${key}0`, `g${key.slice(1)}`])
    await expect(openVault({ secretKey: text, secretKeyFile: null })).rejects.toThrow(
      'TIDEMARK_SECRET_KEY must be a key of 64 hex digits. Create one with: openssl rand -hex 32',
    )
  await expect(openVault({ secretKey: null, secretKeyFile: '/nowhere/secret.key' })).rejects.toThrow(
    /TIDEMARK_SECRET_KEY_FILE.*cannot be read/,
  )
})
