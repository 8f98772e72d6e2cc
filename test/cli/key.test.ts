// @slow
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sha256 } from '../../src/ids/sha256.ts'
import { command } from '../support/command.ts'
import { needing, programMissing } from '../support/needs.ts'
import { runProgram } from '../support/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

async function configFile(text: string): Promise<string> {
  const file = join(temporaryFolder(), 'tidemark.yaml')
  await writeFile(file, text)
  return file
}

test('only the key is printed, only its hash is in the file, and comments are kept', async () => {
  const file = await configFile('# ours\naccounts:\n  - id: acme  # us\n')
  await chmod(file, 0o640)
  const { exitCode, stdout, stderr } = await command({}, [
    'key',
    'create',
    '--config',
    file,
    '--account',
    'acme',
    '--name',
    'grafana',
    '--scopes',
    'read,ingest',
  ])
  const key = stdout.trimEnd()
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect(key).toMatch(/^tdm_\w{8}_\w{32}_\w{6}$/)
  const text = await readFile(file, 'utf8')
  expect(text).toBe(
    `# ours\naccounts:\n  - id: acme  # us\n    keys:\n      - { id: "${key.split('_')[1]}", name: "grafana", hash: "${sha256(key)}", scopes: [read, ingest] }\n`,
  )
  expect((await stat(file)).mode & 0o777).toBe(0o640)
  expect((await readdir(join(file, '..'))).sort()).toEqual(['.tidemark.yaml.lock', 'tidemark.yaml'])
})

test('a key can be listed and revoked, which restores the file', async () => {
  const text = `accounts:\n  - id: acme\n    keys:\n      - { name: old, hash: "${sha256('x')}", scopes: [admin] } # keep\n`
  const file = await configFile(text)
  const named = ['--config', file, '--account', 'acme', '--name', 'new']
  await command({}, ['key', 'create', ...named])
  const { stdout } = await command({}, ['key', 'list', '--config', file])
  expect(stdout.split('\n').map((line) => line.split(/\s+/).toSpliced(2, 1).join(' '))).toEqual([
    'account name scopes',
    'acme old admin',
    'acme new read',
    '',
  ])
  expect((await command({}, ['key', 'revoke', ...named])).exitCode).toBe(0)
  expect(await readFile(file, 'utf8')).toBe(text)
})

test('a key that cannot be created or found results in an error message, and the file stays unchanged', async () => {
  const text = 'accounts:\n  - id: acme\n'
  const file = await configFile(text)
  const create = (...args: readonly string[]) => command({}, ['key', 'create', '--config', file, ...args])
  expect(await create('--account', 'acma', '--name', 'n')).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringContaining('Nearest: acme'),
  })
  expect(await create('--account', 'acme', '--name', 'n', '--scopes', 'delete')).toMatchObject({ exitCode: 1, stdout: '' })
  const revoked = await command({}, ['key', 'revoke', '--config', file, '--account', 'acme', '--name', 'n'])
  expect(revoked).toMatchObject({ exitCode: 1, stderr: 'Account acme has no key n. Its keys: none.\n' })
  expect(await readFile(file, 'utf8')).toBe(text)
  await create('--account', 'acme', '--name', 'n')
  expect(await create('--account', 'acme', '--name', 'n')).toMatchObject({ exitCode: 1, stdout: '' })
})

test('a key and its hash can be printed without changing a file', async () => {
  const { exitCode, stdout } = await command({}, [
    'key',
    'create',
    '--print',
    '--name',
    'grafana',
    '--scopes',
    'read',
    '--config',
    '/nowhere/tidemark.yaml',
  ])
  const [key = '', entry] = stdout.split('\n')
  expect(exitCode).toBe(0)
  expect(entry).toBe(`- { id: "${key.split('_')[1]}", name: "grafana", hash: "${sha256(key)}", scopes: [read] }`)
})

test('without --print, a key requires an account', async () => {
  const file = await configFile('accounts:\n  - id: acme\n')
  const { exitCode, stderr } = await command({}, ['key', 'create', '--name', 'n', '--config', file])
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: 'Specify the account of the key: --account <id>.\n' })
})

test('a system error results in one sentence instead of a stack trace', needing(await programMissing('prlimit')), async () => {
  const file = await configFile('accounts:\n  - id: acme\n')
  const full = ['sh', '-c', 'trap "" XFSZ; exec prlimit --fsize=0 "$@"', 'sh']
  const created = await runProgram(['key', 'create', '--account', 'acme', '--name', 'n', '--config', file], { wrapper: full })
  expect(created).toMatchObject({ status: 1, stdout: '' })
  expect(created.stderr).toMatch(/^\S+tidemark\.yaml cannot be used \(EFBIG, write\)\. [^\n]*\n$/)
})

test('a valid file is reported with its counts', async () => {
  const file = await configFile('accounts:\n  - id: acme\n')
  expect(await command({}, ['validate', '--config', file])).toEqual({
    exitCode: 0,
    stdout: `${file} is valid: 1 account, 0 checks, 0 keys.\n`,
    stderr: '',
  })
  expect(await command({ TIDEMARK_CONFIG: file }, ['validate'])).toMatchObject({ exitCode: 0 })
})

test('an invalid file exits with status 2 and every fault by its line', async () => {
  const file = await configFile('retention: never\naccounts:\n  - name: Acme\n')
  expect(await runProgram(['validate', '--config', file])).toEqual({
    status: 2,
    stdout: '',
    stderr:
      'tidemark.yaml:1: retention must be a duration such as 10s, 5m, 1h or 30d\n' +
      'tidemark.yaml:3: accounts[0].id is missing: it must be text of 1 to 128 characters from A-Z, a-z, 0-9, _ and -\n',
  })
})
