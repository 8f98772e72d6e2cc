// @slow
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: config files have them
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { type ConfigFolder, FileFault, maxIncludedFiles, openConfigFolder } from './config-folder.ts'
import { isUnchanged, matcherOf } from './watched-paths.ts'

let path = ''
let folder: ConfigFolder
beforeEach(() => {
  path = temporaryFolder()
  folder = openConfigFolder(path)
})

const write = (name: string, text: string | Uint8Array) => writeFileSync(join(path, name), text)

describe('an included file', () => {
  test('is found by a pattern, sorted by name', () => {
    mkdirSync(join(path, 'd'))
    for (const name of ['b.yaml', 'a.yaml', '.a.yaml', 'a.yml']) write(`d/${name}`, '')
    expect(folder.matching('d/*.yaml')).toEqual(['d/a.yaml', 'd/b.yaml'])
    expect(folder.matching('./d/b.yaml')).toEqual(['d/b.yaml'])
  })

  test('is one of at most 1,000', () => {
    for (let i = 0; i <= maxIncludedFiles; i++) write(`${i}.yaml`, '')
    expect(() => folder.matching('*.yaml')).toThrow('include matches more than 1,000 files')
  })

  test('has a limit of 32 MiB together with all others', () => {
    write('a.yaml', ' '.repeat(20 * 1024 * 1024))
    write('b.yaml', ' '.repeat(20 * 1024 * 1024))
    folder.includedText('a.yaml')
    expect(() => folder.includedText('b.yaml')).toThrow('b.yaml is too large: included files may have 32 MiB in all')
  })

  test('must be a regular UTF-8 file', () => {
    mkdirSync(join(path, 'a.yaml'))
    write('b.yaml', Uint8Array.of(0xff, 0xfe))
    execFileSync('mkfifo', [join(path, 'c.yaml')])
    expect(() => folder.includedText('a.yaml')).toThrow('is not a file')
    expect(() => folder.includedText('b.yaml')).toThrow('is not UTF-8')
    expect(() => folder.includedText('c.yaml')).toThrow('is not a file')
  })

  test.skipIf(process.getuid?.() === 0)('that is not readable is a fault', () => {
    write('a.yaml', '')
    chmodSync(join(path, 'a.yaml'), 0)
    expect(() => folder.includedText('a.yaml')).toThrow(FileFault)
  })
})

describe('a secret file', () => {
  test('is read without its final line break', () => {
    write('token', 'sesame\n')
    expect(folder.secretText('token', [])).toBe('sesame')
    expect(folder.secretText('./token', [])).toBe('sesame')
  })

  test('must be below the folder of the config file, or below an allowed folder', () => {
    const elsewhere = temporaryFolder()
    writeFileSync(join(elsewhere, 'token'), 'sesame')
    symlinkSync(join(elsewhere, 'token'), join(path, 'link'))
    const absolute = join(elsewhere, 'token')
    for (const name of [absolute, '/etc/passwd', '../x/../../etc/passwd', 'link'])
      expect(() => folder.secretText(name, [])).toThrow(FileFault)
    expect(folder.secretText(absolute, [elsewhere])).toBe('sesame')
    expect(folder.secretText('link', [elsewhere])).toBe('sesame')
  })

  test('has a limit of 64 KiB', () => {
    write('big', 'x'.repeat(65_537))
    expect(() => folder.secretText('big', [])).toThrow('big is too large: a file of ${file:…} may have 64 KiB')
  })

  test.each(['none', 'token/none'])('that is missing, such as %s, is a fault', (name) => {
    write('token', 'sesame')
    expect(() => folder.secretText(name, [])).toThrow('does not exist')
  })

  test('with a too long name is a fault', () => {
    expect(() => folder.secretText('x'.repeat(300), [])).toThrow('cannot be read (ENAMETOOLONG)')
  })
})

test('changes of files and patterns that were read are noticed', async () => {
  write('a.yaml', 'a')
  folder.matching('*.yaml')
  folder.includedText('a.yaml')
  const [names, file] = folder.watched()
  if (!names || !file) throw new Error('two things were looked at')
  expect(await Promise.all([names, file].map(isUnchanged))).toEqual([true, true])
  write('b.txt', '')
  expect(await isUnchanged(names)).toBe(true)
  write('b.yaml', '')
  write('a.yaml', 'ab')
  expect(await Promise.all([names, file].map(isUnchanged))).toEqual([false, false])
})

test.each([
  ['*.yaml', 'a.yaml', true],
  ['*.yaml', '.yaml', false],
  ['a*b*c', 'abc', true],
  ['a*b*c', 'aXbYc', true],
  ['a*b*c', 'ab', false],
  ['a*a', 'a', false],
  ['*a*b', 'ab', true],
  ['*a*a*a*a*a*a*b', 'a'.repeat(5000), false],
  ['web-*', 'web-', true],
])('%s matches %s: %s', (pattern, name, matches) => {
  expect(matcherOf(pattern)(name)).toBe(matches)
})
