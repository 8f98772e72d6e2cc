import { readFileSync } from 'node:fs'
import { minVersion, satisfies } from 'semver'
import { describe, expect, test } from 'vitest'
import { kindToInstall } from '../scripts/install.mjs'
import { shrinkwrapOf } from '../scripts/shrinkwrap.mjs'

type Locked = {
  readonly version?: string
  readonly integrity?: string
  readonly dev?: boolean
  readonly resolved?: string
  readonly engines?: { readonly node?: string }
  readonly dependencies?: Readonly<Record<string, string>>
}
type Lockfile = { readonly packages: Readonly<Record<string, Locked>> }

const lockfile: Lockfile = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'))
const tools = Object.keys(lockfile.packages['src/web']?.dependencies ?? {})

test.each(tools)('an install without test dependencies puts %s where the build finds it', (tool) => {
  expect(lockfile.packages[`node_modules/${tool}`]).toBeDefined()
  expect(lockfile.packages[`node_modules/${tool}`]).not.toHaveProperty('dev')
  expect(lockfile.packages).not.toHaveProperty([`src/web/node_modules/${tool}`])
})

test('every package of the lockfile supports the oldest supported Node', () => {
  const oldest = minVersion(lockfile.packages['']?.engines?.node ?? '') ?? ''
  expect(oldest.toString()).toBe('20.19.0')
  const refusing = Object.entries(lockfile.packages).filter(([, { engines }]) => engines?.node && !satisfies(oldest, engines.node))
  expect(refusing.map(([path]) => path)).toEqual([])
})

test('starting the demo in a clone keeps test dependencies', () => {
  const fresh = { all: false, lock: 'a1', installed: '', hasTests: false }
  expect(kindToInstall(fresh)).toBe('production')
  expect(kindToInstall({ ...fresh, hasTests: true })).toBe('all')
  expect(kindToInstall({ ...fresh, all: true })).toBe('all')
  expect(kindToInstall({ ...fresh, installed: 'a1 production' })).toBeNull()
  expect(kindToInstall({ ...fresh, installed: 'a1 all', hasTests: true })).toBeNull()
  expect(kindToInstall({ ...fresh, installed: 'a0 all', hasTests: true })).toBe('all')
})

test('the lockfile contains no registry URLs', () => {
  expect(Object.values(lockfile.packages).filter(({ resolved }) => resolved?.includes('://'))).toEqual([])
})

describe('the shrinkwrap of the package', () => {
  const { packages }: Lockfile = shrinkwrapOf(lockfile)
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const places = Object.keys(packages).filter((path) => path !== '')

  test('contains the published dependencies, without those of tests and workspaces', () => {
    expect(packages['']?.dependencies).toEqual(manifest.dependencies)
    expect(packages['']).not.toHaveProperty('workspaces')
    expect(packages['']).not.toHaveProperty('devDependencies')
    expect(places.filter((path) => path.startsWith('src/'))).toEqual([])
    for (const tool of ['vitest', '@biomejs/biome', 'preact', 'typescript']) expect(places).not.toContain(`node_modules/${tool}`)
  })

  test('has the version and hash of each package from the lockfile, and no URLs', () => {
    for (const path of places) {
      const { version, integrity, resolved, dev } = packages[path] ?? {}
      expect({ path, version, integrity }).toEqual({
        path,
        version: lockfile.packages[path]?.version,
        integrity: expect.stringMatching(/^sha512-/),
      })
      expect([resolved, dev]).toEqual([undefined, undefined])
    }
  })

  test('has a matching version of every dependency of its packages', () => {
    const versionFrom = (from: string, name: string): string | undefined => {
      for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
        const found = packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`]
        if (found || folder === '') return found?.version
      }
    }
    for (const [path, { dependencies = {} }] of Object.entries(packages))
      for (const [name, range] of Object.entries(dependencies))
        expect([path, name, range, satisfies(versionFrom(path, name) ?? '', range)]).toEqual([path, name, range, true])
  })
})
