import { chmodSync, chownSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { changeFile } from './change-file.ts'

function configFile(text: string): string {
  const file = join(temporaryFolder(), 'tidemark.yaml')
  writeFileSync(file, text)
  return file
}

test('concurrent changes are made one after the other, each on top of the last', async () => {
  const file = configFile('')
  const lines = Array.from({ length: 20 }, (_, i) => `line ${i}`)
  await Promise.all(lines.map((line) => changeFile(file, (text) => `${text}${line}\n`)))
  expect(readFileSync(file, 'utf8').trimEnd().split('\n').sort()).toEqual(lines.toSorted())
})

test('a change by an editor in the meantime is not overwritten: the edit is applied to it', async () => {
  const file = configFile('a\n')
  let calls = 0
  await changeFile(file, (text) => {
    if (calls++ === 0) writeFileSync(file, 'edited\n')
    return `${text}b\n`
  })
  expect(readFileSync(file, 'utf8')).toBe('edited\nb\n')
})

test('a file with a byte order mark is changed like any other', async () => {
  const file = configFile('\ufeffa\n')
  await changeFile(file, (text) => `${text}b\n`)
  expect(readFileSync(file, 'utf8')).toBe('\ufeffa\nb\n')
})

test('a file that changes all the time is left unchanged, with an error message', async () => {
  const file = configFile('0')
  await expect(
    changeFile(file, (text) => {
      writeFileSync(file, `${Number(text) + 1}`)
      return 'ours'
    }),
  ).rejects.toThrow('is being changed by another program')
  expect(Number(readFileSync(file, 'utf8'))).toBeGreaterThan(0)
})

test('mode, owner and symlink are kept, and leftovers of a killed process are removed', async () => {
  const file = configFile('a')
  chmodSync(file, 0o640)
  const isRoot = process.getuid?.() === 0
  if (isRoot) chownSync(file, 4711, 4712)
  const link = join(temporaryFolder(), 'link.yaml')
  symlinkSync(file, link)
  writeFileSync(join(file, '..', '.tidemark.yaml.999999.tmp'), 'half of a')
  await changeFile(link, () => 'b')
  const { mode, uid, gid } = statSync(file)
  expect(mode & 0o777).toBe(0o640)
  if (isRoot) expect([uid, gid]).toEqual([4711, 4712])
  expect(lstatSync(link).isSymbolicLink()).toBe(true)
  expect(readFileSync(file, 'utf8')).toBe('b')
  expect(readdirSync(join(file, '..')).sort()).toEqual(['.tidemark.yaml.lock', 'tidemark.yaml'])
  expect(statSync(join(file, '..', '.tidemark.yaml.lock')).uid).toBe(uid)
})

test('a rejected change leaves the file unchanged and releases the lock', async () => {
  const file = configFile('a')
  const refuse = () => {
    throw new RangeError('no')
  }
  await expect(changeFile(file, refuse)).rejects.toThrow('no')
  await changeFile(file, (text) => `${text}b`)
  expect(readFileSync(file, 'utf8')).toBe('ab')
})
