// @slow waiting
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { vitest } from '../scripts/vitest.mjs'
import { temporaryFolder } from './support/temporary-folder.ts'

const reporter = new URL('../scripts/end-reporter.mjs', import.meta.url).href
const files = {
  'vitest.config.mjs': `import { endReporter } from '${reporter}'\nexport default { test: { globals: true, maxWorkers: 4, reporters: ['dot', endReporter] } }`,
  'passing.test.js': "test('adds', () => expect(1 + 1).toBe(2))",
  'failing.test.js': "test('subtracts', () => expect(2 - 1).toBe(2))",
  'broken.test.js': "throw new Error('It cannot be loaded.')",
  'endless.test.js': "test('never ends', () => new Promise(() => {}), 600_000)",
}

test('stopping tests does not hide earlier failures', { timeout: 120_000 }, async () => {
  const folder = temporaryFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const { isStopped, failed } = await vitest([`--root=${folder}`], { stopAt: Date.now() + 15_000 })
  expect(isStopped).toBe(true)
  expect(failed.toSorted()).toEqual(['broken.test.js', 'failing.test.js > subtracts'])
})
