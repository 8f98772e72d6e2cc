import { readFileSync } from 'node:fs'
import { minVersion, satisfies } from 'semver'
import { expect, test } from 'vitest'

type Locked = {
  readonly dev?: boolean
  readonly resolved?: string
  readonly engines?: { readonly node?: string }
  readonly dependencies?: Readonly<Record<string, string>>
}
type Lockfile = { readonly packages: Readonly<Record<string, Locked>> }

const lockfile: Lockfile = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'))
const tools = Object.keys(lockfile.packages['src/web']?.dependencies ?? {})

test.each(tools)('an install without what only tests need puts %s where the build finds it', (tool) => {
  expect(lockfile.packages[`node_modules/${tool}`]).toBeDefined()
  expect(lockfile.packages[`node_modules/${tool}`]).not.toHaveProperty('dev')
  expect(lockfile.packages).not.toHaveProperty([`src/web/node_modules/${tool}`])
})

test('every package of the lockfile accepts the oldest Node that we do', () => {
  const oldest = minVersion(lockfile.packages['']?.engines?.node ?? '') ?? ''
  expect(oldest.toString()).toBe('20.19.0')
  const refusing = Object.entries(lockfile.packages).filter(([, { engines }]) => engines?.node && !satisfies(oldest, engines.node))
  expect(refusing.map(([path]) => path)).toEqual([])
})

test('the lockfile names no registry', () => {
  expect(Object.values(lockfile.packages).filter(({ resolved }) => resolved?.includes('://'))).toEqual([])
})
