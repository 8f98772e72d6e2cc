// @slow
import { chmod, open, readdir, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { chromiumMissing } from '../../../../test/support/chromium.ts'
import { machine, needing } from '../../../../test/support/needs.ts'
import { folderWith } from '../../../../test/support/scripts.ts'
import { chromiumAvailable, findChromium, launcher, launchOptions, unpack } from './chromium.ts'

const elfMachineX64 = 0x3e

test('the browser in the settings is used', async () => {
  const folder = await folderWith({ 'my-browser': '' })
  await chmod(join(folder, 'my-browser'), 0o755)
  expect(await findChromium(join(folder, 'my-browser'), '')).toEqual({ path: join(folder, 'my-browser') })
})

test('a missing browser in the settings is not replaced by another', async () => {
  expect(await findChromium('/nowhere/chromium', '')).toEqual({ missing: 'TIDEMARK_CHROMIUM is not an executable file' })
})

test('a browser on the search path is found, and files that are not executable are skipped', async () => {
  const folder = await folderWith({ 'a/chromium': '', 'b/google-chrome': '' })
  await chmod(join(folder, 'b/google-chrome'), 0o755)
  expect(await findChromium(null, `${join(folder, 'a')}:${join(folder, 'b')}`)).toEqual({ path: join(folder, 'b/google-chrome') })
})

test('the packaged browser is unpacked with the libraries that a minimal system lacks, and a launcher for them', async () => {
  const unpacked = join(await folderWith({}), 'unpacked')
  await unpack(createRequire(import.meta.url).resolve('@sparticuz/chromium'), unpacked)
  expect((await stat(join(unpacked, launcher))).mode & 0o111).not.toBe(0)
  expect(await readdir(join(unpacked, 'al2023/lib'))).toContain('libnss3.so')
  const browser = await open(join(unpacked, 'chromium'))
  const { buffer } = await browser.read(Buffer.alloc(20), 0, 20, 0)
  await browser.close()
  expect([buffer.toString('latin1', 1, 4), buffer.readUInt16LE(18)]).toEqual(['ELF', elfMachineX64])
})

test('testing whether a browser starts leaves nothing in the home folder', needing(await chromiumMissing()), async () => {
  const home = await folderWith({})
  expect(await chromiumAvailable({ ...machine, env: { ...machine.env, HOME: home } })).toBeNull()
  expect(await readdir(home)).toEqual([])
})

test('a browser that does not start is reported with its own message', async () => {
  const folder = await folderWith({ 'my-browser': "#!/bin/sh\necho 'error while loading shared libraries: libnss3.so' >&2\nexit 127\n" })
  const path = join(folder, 'my-browser')
  await chmod(path, 0o755)
  expect(await chromiumAvailable({ ...machine, chromium: path })).toBe(
    `${path} does not start: error while loading shared libraries: libnss3.so`,
  )
})

test('the sandbox is disabled only for root', () => {
  expect(launchOptions('/chromium', 'http://127.0.0.1:1').chromiumSandbox).toBe(process.getuid?.() !== 0)
})
