import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { root } from './install.mjs'

const file = `${root}npm-shrinkwrap.json`

/**
 * The exact versions that the published package installs: the part of the lockfile that its dependencies need. npm treats it like the
 * lockfile of a clone, so packages for workspaces and tests are left out.
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

/** The paths of all packages that the manifest needs, directly or transitively. */
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

/** Resolves a package like Node: in the package's own folder, then in parent folders. */
function resolved(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    if (packages[path]) return path
    if (folder === '') return undefined
  }
}

/** These flags describe the clone: a development dependency there may be a dependency of the package. */
function withoutFlags({ dev: _, devOptional: __, peer: ___, ...entry }) {
  return entry
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  if (process.argv[2] === '--remove') rmSync(file, { force: true })
  else writeFileSync(file, `${JSON.stringify(shrinkwrapOf(JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8'))), null, 2)}\n`)
}
