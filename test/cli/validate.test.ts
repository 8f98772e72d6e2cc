import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { checkTypes } from '../../src/checks/registry.ts'
import { configuredFolder, tidemark } from '../support/command.ts'
import { exampleCheck } from '../support/example-config.ts'

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
