import { expect, test } from 'vitest'
import { decodeBundle, encodeBundle } from './script-bundle.ts'

const bundle = (path: string, configDir = '') => encodeBundle({ configDir, files: [{ path, content: Buffer.from('text') }] })

test('a bundle is decoded as encoded', () => {
  const files = ['a.spec.ts', 'checks/..b/c.ts', 'checks/ä b.ts', 'lib/at 12:30.txt'].map((path) => ({ path, content: Buffer.from(path) }))
  expect(decodeBundle(encodeBundle({ configDir: 'etc/tidemark', files }))).toEqual({ configDir: 'etc/tidemark', files })
})

const leaving = [
  '..',
  '../a.ts',
  'checks/../../a.ts',
  'checks/..',
  '/etc/passwd',
  '//server/share',
  './a.ts',
  'checks//a.ts',
  'checks/',
  '..\\a.ts',
  'checks\\..\\..\\a.ts',
  'C:\\a.ts',
  'C:/a.ts',
  'C:a.ts',
  'a.ts\0.txt',
]

test.each(leaving)('a bundle with the path %j is rejected', (path) => {
  expect(() => decodeBundle(bundle(path))).toThrow('leaves its folder')
  expect(() => decodeBundle(bundle('a.ts', path))).toThrow('leaves its folder')
})

test('a bundle with a file without a name is rejected', () => {
  expect(() => decodeBundle(bundle(''))).toThrow('leaves its folder')
})

test.each(['', '[]', '{}', '{"configDir": "", "files": [{"path": 12}]}', '{"configDir": null, "files": []}'])(
  'an invalid bundle is rejected: %j',
  (text) => {
    expect(() => decodeBundle(text)).toThrow()
  },
)
