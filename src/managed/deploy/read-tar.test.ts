import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { type TarEntry, tarGz } from '../../../test/support/tar.ts'
import { bundleLimits } from '../../checks/probe/playwright/code-bundle.ts'
import { readTar } from './read-tar.ts'

const tar = (...entries: readonly TarEntry[]) => gunzipSync(tarGz(entries))
const read = (...entries: readonly TarEntry[]) => readTar(tar(...entries)).map(({ path, content }) => [path, content.toString()])
const pax = (record: string) => ({ path: 'header', type: 'x', text: `${record.length + 4} ${record}\n` })
const a = { path: 'a.ts', text: 'a' }

test.each<[string, readonly TarEntry[], readonly (readonly string[])[]]>([
  [
    'sorted',
    [{ path: 'b.ts', text: 'b' }, a],
    [
      ['a.ts', 'a'],
      ['b.ts', 'b'],
    ],
  ],
  [
    'of any size',
    [{ path: 'x', text: 'x'.repeat(512) }, { path: 'y', text: 'y'.repeat(513) }, a],
    [
      ['a.ts', 'a'],
      ['x', 'x'.repeat(512)],
      ['y', 'y'.repeat(513)],
    ],
  ],
  ['the last of a name', [a, { path: 'a.ts', text: 'new' }], [['a.ts', 'new']]],
  ['without a leading dot', [{ path: './a.ts', text: 'a' }], [['a.ts', 'a']]],
  ['of the oldest kind', [{ ...a, type: '\0' }], [['a.ts', 'a']]],
  ['no folders', [{ path: 'lib/', type: '5' }, a], [['a.ts', 'a']]],
  ['no global headers', [{ path: 'pax_global', type: 'g', text: 'x' }, a], [['a.ts', 'a']]],
  [
    'with a long name',
    [{ path: 'long', type: 'L', text: 'lib/long.ts\0' }, a, { path: 'b', text: 'b' }],
    [
      ['b', 'b'],
      ['lib/long.ts', 'a'],
    ],
  ],
  ['with a long name of POSIX', [pax('path=lib/posix.ts'), a], [['lib/posix.ts', 'a']]],
  ['with other records of POSIX', [pax('mtime=1234567'), a], [['a.ts', 'a']]],
  ['with both', [{ path: 'long', type: 'L', text: 'lib/long.ts' }, pax('mtime=1234567'), a], [['lib/long.ts', 'a']]],
])('files are read: %s', (_, entries, files) => {
  expect(read(...entries)).toEqual(files)
})

test('files that suites do not need are skipped, including links', () => {
  const skipped = [
    'node_modules/x/y.js',
    'lib/node_modules/z',
    'package-lock.json',
    'npm-shrinkwrap.json',
    'yarn.lock',
    'pnpm-lock.yaml',
    'bun.lock',
    'lib/bun.lockb',
  ]
  const link = { path: 'node_modules/link', type: '2', link: '/etc/passwd' }
  expect(read(...skipped.map((path) => ({ path, text: 'x' })), link, { path: 'my-package-lock.json', text: 'y' }, a)).toEqual([
    ['a.ts', 'a'],
    ['my-package-lock.json', 'y'],
  ])
})

test.each<[string, readonly TarEntry[], string]>([
  ['no file', [], 'it has no files'],
  ['only a folder', [{ path: 'lib', type: '5' }], 'it has no files'],
  ['a path that leaves', [{ path: '../a', text: 'a' }], 'the path "../a" leaves its folder'],
  ['a long name that leaves', [{ path: 'long', type: 'L', text: '/etc/x' }, a], 'the path "/etc/x" leaves its folder'],
  ['a link', [{ path: 'a', type: '2', link: 'b' }], 'a is a link or a special file; only regular files are accepted'],
  ['a record without a length', [{ path: 'h', type: 'x', text: 'path=x' }, a], 'it is not a tar archive'],
  ['a record that is too long', [{ path: 'h', type: 'x', text: '99 path=x\n' }, a], 'it is not a tar archive'],
  ['a record of no length', [{ path: 'h', type: 'x', text: '0 path=x\n' }, a], 'it is not a tar archive'],
])('rejects %s', (_, entries, message) => {
  expect(() => read(...entries)).toThrow(message)
})

test('files and bytes are limited', () => {
  const files = (count: number) => Array.from({ length: count }, (_, index) => ({ path: `f${index}`, text: 'x' }))
  expect(read(...files(bundleLimits.files))).toHaveLength(bundleLimits.files)
  expect(() => read(...files(bundleLimits.files + 1))).toThrow(`it has more than ${bundleLimits.files} files`)
  const half = 'x'.repeat(bundleLimits.bytes / 2)
  expect(read({ path: 'a', text: half }, { path: 'b', text: half })).toHaveLength(2)
  expect(() => read({ path: 'a', text: half }, { path: 'b', text: `${half}x` })).toThrow(`its files exceed ${bundleLimits.bytes} bytes`)
})

test('a truncated archive and other files are rejected', () => {
  const whole = tar({ path: 'a', text: 'x'.repeat(600) })
  expect(() => readTar(whole.subarray(0, 512 + 599))).toThrow('it is truncated')
  expect(readTar(whole.subarray(0, 512 + 600))).toHaveLength(1)
  expect(() => readTar(Buffer.alloc(511, 'x'))).toThrow('it has no files')
  expect(() => readTar(Buffer.alloc(512, 'x'))).toThrow('it is not a tar archive')
})

test('a file name in a POSIX archive may have a prefix', () => {
  const archive = tar(a)
  archive.write('some/folder', 345)
  expect(readTar(archive)[0]?.path).toBe('some/folder/a.ts')
  archive.write('other', 257)
  expect(readTar(archive)[0]?.path).toBe('a.ts')
})
