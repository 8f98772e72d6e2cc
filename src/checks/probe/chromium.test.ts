import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderWith } from '../../../test/support/scripts.ts'
import { findChromium, launchOptions } from './chromium.ts'

test('the browser that the settings name is the one', async () => {
  const folder = await folderWith({ 'my-browser': '' })
  await chmod(join(folder, 'my-browser'), 0o755)
  expect(await findChromium(join(folder, 'my-browser'), '')).toEqual({ path: join(folder, 'my-browser') })
})

test('a browser that is named but not there is not replaced by another', async () => {
  expect(await findChromium('/nowhere/chromium', '')).toEqual({ missing: 'TIDEMARK_CHROMIUM names a file that is no program' })
})

test('a browser on the search path is found, and a file that is no program is passed over', async () => {
  const folder = await folderWith({ 'a/chromium': '', 'b/google-chrome': '' })
  await chmod(join(folder, 'b/google-chrome'), 0o755)
  expect(await findChromium(null, `${join(folder, 'a')}:${join(folder, 'b')}`)).toEqual({ path: join(folder, 'b/google-chrome') })
})

test('the sandbox is given up for root alone', () => {
  expect(launchOptions('/chromium', 'http://127.0.0.1:1').chromiumSandbox).toBe(process.getuid?.() !== 0)
})
