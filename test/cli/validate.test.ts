import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { checkTypes } from '../../src/checks/registry.ts'
import { configuredFolder, tidemark } from '../support/command.ts'
import { anyRunType, exampleCheck } from '../support/example-config.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const needed = checkTypes.flatMap((checkType) => checkType.files?.(exampleCheck(checkType)) ?? [])

test('scripts and folders that are not there are faults of validate', async () => {
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

test('checks that no alert rule covers, and channels that no rule uses, are named by validate', async () => {
  const folder = temporaryFolder()
  const check = (id: string) => ({ ...exampleCheck(anyRunType()), id, name: id, locations: ['eu'] })
  const channel = (id: string) => ({ id, type: 'webhook', url: 'https://hooks.example.com/' })
  const account = {
    id: 'acme',
    name: 'Acme',
    checks: [check('shop'), check('bank')],
    channels: [channel('ops'), channel('unused')],
    alerts: [{ id: 'shop', checks: ['shop'], to: ['ops'] }],
  }
  writeFileSync(join(folder, 'tidemark.yaml'), JSON.stringify({ accounts: [account] }))
  const { stderr } = await tidemark(folder, 'validate')
  const notes = stderr.split('\n').filter((line) => line.startsWith('Note: '))
  expect(notes).toEqual([expect.stringContaining('bank'), expect.stringContaining('unused')])
})
