import { hash, randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { type TarEntry, tarGz } from '../../../test/support/tar.ts'
import { decodeCodeBundle, encodeCodeBundle, maxBundleLength } from '../../checks/probe/playwright/code-bundle.ts'
import { packBundle } from './pack-bundle.ts'

const pack = (entries: readonly TarEntry[]) => packBundle(tarGz(entries))

async function filesOf(packed: ReturnType<typeof pack>) {
  if ('problem' in packed) throw new Error(packed.problem)
  return Object.fromEntries((await decodeCodeBundle(packed.bundle)).map(({ path, content }) => [path, content.toString()]))
}

test('a bundle has the files of its archive, except installed packages and lock files', async () => {
  const packed = pack([
    { path: 'tests/', type: '5' },
    { path: './playwright.config.ts', text: 'export default {}' },
    { path: 'tests/a.spec.ts', text: 'ä' },
    { path: 'package-lock.json', text: '{}' },
    { path: 'node_modules/x/index.js', text: 'x' },
    { path: 'node_modules/.bin/x', type: '2', link: '../x/index.js' },
  ])
  expect(await filesOf(packed)).toEqual({ 'playwright.config.ts': 'export default {}', 'tests/a.spec.ts': 'ä' })
})

test('long paths are read from preceding headers', async () => {
  const long = `${'folder/'.repeat(20)}a.spec.ts`
  const record = ` path=${long}\n`
  const pax = `${record.length + 3}${record}`
  expect(
    await filesOf(
      pack([
        { path: 'pax', type: 'x', text: pax },
        { path: 'short', text: 'a' },
      ]),
    ),
  ).toEqual({ [long]: 'a' })
  expect(
    await filesOf(
      pack([
        { path: 'gnu', type: 'L', text: `${long}\0` },
        { path: 'short', text: 'a' },
      ]),
    ),
  ).toEqual({ [long]: 'a' })
})

test('the long path of a folder does not apply to the file after it', async () => {
  const packed = pack([
    { path: 'gnu', type: 'L', text: `${'folder/'.repeat(20)}\0` },
    { path: 'short/', type: '5' },
    { path: 'a.ts', text: 'a' },
  ])
  expect(await filesOf(packed)).toEqual({ 'a.ts': 'a' })
})

test('conflicting or too long paths are rejected in an archive and in a bundle', async () => {
  const long = `${'ä'.repeat(120)}/${'ä'.repeat(120)}.ts`
  const both = [{ path: 'a.ts/b.ts' }, { path: 'a.ts' }]
  const lengthened = [{ path: 'gnu', type: 'L', text: `${long}\0` }, { path: 'short' }]
  const bundle = (...paths: readonly string[]) => encodeCodeBundle(paths.map((path) => ({ path, content: Buffer.from('1') })))
  expect(pack(both)).toEqual({ problem: '"a.ts" is a file and a folder' })
  expect(pack(lengthened)).toEqual({ problem: expect.stringMatching(/^the path that begins with "ä{100}" has more than 250 bytes$/) })
  await expect(decodeCodeBundle(bundle('a.ts/b.ts', 'a.ts'))).rejects.toThrow('is a file and a folder')
  await expect(decodeCodeBundle(bundle(long))).rejects.toThrow('has more than 250 bytes')
})

test.each([
  ['leaves its folder', { path: '../a.ts' }, 'leaves its folder'],
  ['is absolute', { path: '/etc/passwd' }, 'leaves its folder'],
  ['has a backslash', { path: 'a\\..\\b.ts' }, 'leaves its folder'],
  ['is a symbolic link', { path: 'a.ts', type: '2', link: '/etc/passwd' }, 'is a link or a special file'],
  ['is a hard link', { path: 'a.ts', type: '1', link: 'b.ts' }, 'is a link or a special file'],
  ['is a device', { path: 'a.ts', type: '3' }, 'is a link or a special file'],
  ['is too large', { path: 'a.ts', text: 'x'.repeat(4 * 2 ** 20 + 1) }, 'exceed 4194304 bytes'],
  ['does not compress', { path: 'a.ts', text: randomBytes(200_000).toString('hex') }, 'characters when it is compressed'],
])('an archive with a file that %s is rejected', (_, entry, problem) => {
  expect(pack([{ path: 'playwright.config.ts' }, entry])).toEqual({ problem: expect.stringContaining(problem) })
})

test('an invalid archive, or one with too many files or none, is rejected', () => {
  const many = Array.from({ length: 501 }, (_, i) => ({ path: `${i}.ts` }))
  expect(pack(many)).toEqual({ problem: 'it has more than 500 files' })
  expect(pack([])).toEqual({ problem: 'it has no files' })
  expect(packBundle(Buffer.from('text'))).toEqual({ problem: 'it is no gzip, or was cut off' })
  expect(packBundle(gzipSync('x'.repeat(2000)))).toEqual({ problem: 'it is not a tar archive' })
  expect(packBundle(gzipSync(Buffer.alloc(65 * 2 ** 20)))).toEqual({ problem: expect.stringContaining('when decompressed') })
})

test('a bundle is inflated only up to a limit', async () => {
  const many = Array.from({ length: 400 }, (_, i) => ({ path: `${i}.ts`, content: Buffer.alloc(20_000) }))
  const bundle = encodeCodeBundle(many)
  expect(bundle.length).toBeLessThan(maxBundleLength)
  await expect(decodeCodeBundle(bundle)).rejects.toThrow('it is not a bundle')
})

test('an archive with a wrong checksum, in hex or base64, is rejected', () => {
  const archive = tarGz([{ path: 'playwright.config.ts' }])
  const checksumSha256 = hash('sha256', archive)
  for (const sent of [null, checksumSha256, hash('sha256', archive, 'base64')])
    expect(packBundle(archive, sent)).toMatchObject({ checksumSha256, bundle: expect.any(String) })
  expect(packBundle(archive, hash('sha256', 'another'))).toEqual({ problem: 'its checksum does not match its header' })
})
