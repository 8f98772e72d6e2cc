import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { checkTypes } from '../../src/checks/registry.ts'
import { configuredFolder, tidemark } from '../support/command.ts'
import { anyRunType, exampleCheck } from '../support/example-config.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const needed = checkTypes.flatMap((checkType) => checkType.files?.(exampleCheck(checkType)) ?? [])

test('validate reports missing scripts and folders as faults', async () => {
  const folder = configuredFolder()
  await expect(tidemark(folder, 'validate')).rejects.toMatchObject({
    faults: needed.map(({ path, kind }) => ({ text: expect.stringContaining(`there is no ${kind} ${path}`) })),
  })
  for (const { path, kind } of needed) {
    mkdirSync(join(folder, kind === 'folder' ? path : dirname(path)), { recursive: true })
    if (kind === 'file') writeFileSync(join(folder, path), '')
  }
  expect((await tidemark(folder, 'validate')).stdout).toContain('is valid: 1 account, 9 checks, 0 keys')
})

test('validate reports what is missing in the alerts of an account', async () => {
  const folder = temporaryFolder()
  const check = (id: string) => ({ ...exampleCheck(anyRunType()), id, name: id, locations: ['eu'] })
  const channel = (id: string) => ({ id, type: 'webhook', url: 'https://hooks.example.com/' })
  const account = {
    id: 'acme',
    name: 'Acme',
    checks: [check('shop'), check('bank')],
    channels: [channel('ops'), channel('unused')],
    alerts: [
      { id: 'shop', checks: ['shop'], to: ['ops'] },
      { id: 'quiet', tags: ['nightly'], when: 'silent', to: ['ops'] },
    ],
    canary: { us: ['192.0.2.1:443'] },
  }
  const file = join(folder, 'tidemark.yaml')
  writeFileSync(file, JSON.stringify({ accounts: [account, { id: 'beta' }] }))
  expect(await tidemark(folder, 'validate')).toEqual({
    exitCode: 0,
    stdout: `${file} is valid: 2 accounts, 2 checks, 0 keys.\n`,
    stderr: [
      'Note: in acme, no alert rule covers failures of: bank.\n',
      'Note: in acme, no alert rule uses these channels: unused.\n',
      'Note: in acme, no check runs at these locations of canary: us.\n',
      'Note: in acme, these silence rules match no check that runs at a location: quiet.\n',
    ].join(''),
  })
  writeFileSync(file, JSON.stringify({ accounts: [{ id: 'acme', checks: [check('shop')] }] }))
  expect(await tidemark(folder, 'validate')).toEqual({ exitCode: 0, stdout: `${file} is valid: 1 account, 1 check, 0 keys.\n`, stderr: '' })
})
