import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { root } from './install.mjs'

const file = `${root}npm-shrinkwrap.json`

/**
 * What the published package installs, to the version: the part of a lockfile that its own dependencies need. npm reads it in a package as
 * it reads the lockfile in a clone, but also what only workspaces and tests need, which is left out here.
 */
export function shrinkwrapOf(lockfile) {
  const { workspaces: _, devDependencies: __, ...manifest } = lockfile.packages['']
  return partOf(lockfile, manifest)
}

/** The part of a lockfile that a package with this manifest needs. */
export function partOf(lockfile, manifest) {
  const kept = reachable(lockfile.packages, manifest)
  const packages = Object.entries(lockfile.packages).filter(([path]) => kept.has(path))
  return {
    name: lockfile.name,
    version: lockfile.version,
    lockfileVersion: lockfile.lockfileVersion,
    requires: true,
    packages: { '': manifest, ...Object.fromEntries(packages.map(([path, entry]) => [path, withoutFlags(entry)])) },
  }
}

/** The places of all packages that this manifest needs, directly or not. */
function reachable(packages, manifest) {
  const found = new Set()
  const visit = (from, { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta }) => {
    const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta?.[name]?.optional)
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
      const path = resolved(packages, from, name)
      if (path === undefined || found.has(path)) continue
      found.add(path)
      visit(path, packages[path])
    }
  }
  visit('', manifest)
  return found
}

/** Where Node finds a package from another one: in its own folder, or in one further up. */
function resolved(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    if (packages[path]) return path
    if (folder === '') return undefined
  }
}

/** Such flags are about the clone: what tests need there may be what the package needs. */
function withoutFlags({ dev: _, devOptional: __, peer: ___, ...entry }) {
  return entry
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  if (process.argv[2] === '--remove') rmSync(file, { force: true })
  else writeFileSync(file, `${JSON.stringify(shrinkwrapOf(JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8'))), null, 2)}\n`)
}
