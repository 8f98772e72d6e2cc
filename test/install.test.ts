import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

type Lockfile = {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly dependencies?: Readonly<Record<string, string>> }>>
}

const lockfile: Lockfile = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'))
const tools = Object.keys(lockfile.packages['src/web']?.dependencies ?? {})

test.each(tools)('an install without what only tests need puts %s where the build finds it', (tool) => {
  expect(lockfile.packages[`node_modules/${tool}`]).toBeDefined()
  expect(lockfile.packages[`node_modules/${tool}`]).not.toHaveProperty('dev')
  expect(lockfile.packages).not.toHaveProperty([`src/web/node_modules/${tool}`])
})
