import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withScriptFolder } from './script-folder.ts'

const file = (path: string, text: string) => ({ path, content: Buffer.from(text) })

test('scripts are in a folder that only this user can read, which is removed after the run', async () => {
  const bundle = { configDir: 'etc', files: [file('etc/checks/a.ts', 'a'), file('lib/b.ts', 'b')] }
  const folder = await withScriptFolder(bundle, async (configDir) => {
    expect(await readFile(join(configDir, 'checks/a.ts'), 'utf8')).toBe('a')
    expect(await readFile(join(configDir, '../lib/b.ts'), 'utf8')).toBe('b')
    expect(((await stat(join(configDir, '..'))).mode & 0o777).toString(8)).toBe('700')
    return join(configDir, '..')
  })
  expect(existsSync(folder)).toBe(false)
})

test('a file of a bundle never overwrites another', async () => {
  const bundle = { configDir: '', files: [file('a.ts', 'first'), file('a.ts', 'second')] }
  await expect(withScriptFolder(bundle, async () => undefined)).rejects.toThrow('EEXIST')
})
