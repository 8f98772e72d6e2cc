import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { root } from './install.mjs'
import { partOf } from './shrinkwrap.mjs'

/** Packages bundled into dist/ but not installed. All other bundled packages are dependencies as well. */
const bundled = ['preact', 'typebox', 'uplot']

const readJson = (path) => JSON.parse(readFileSync(`${root}${path}`, 'utf8'))
const { name, version, license, description, dependencies } = readJson('package.json')
const page = readJson('src/web/package.json')
const file = `${name}-${version}.cdx.json`

/**
 * For the clone without development dependencies, `npm sbom` omits some of the shipped packages. So it runs on a manifest with only the
 * shipped ones.
 */
const shipped = { ...dependencies, ...Object.fromEntries(bundled.map((one) => [one, page.dependencies[one]])) }
const manifest = { name, version, license, description, dependencies: shipped }

const folder = mkdtempSync(join(tmpdir(), 'tidemark-sbom-'))
try {
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(partOf(readJson('package-lock.json'), manifest)))
  const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application', '--loglevel=error']
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 2 ** 20 })
  if (status !== 0) throw new Error(stderr)
  const bom = JSON.parse(stdout)
  // npm names the package after its folder.
  bom.metadata.component.name = name
  writeFileSync(resolve(root, process.argv[2] ?? '.', file), `${JSON.stringify(bom, null, 2)}\n`)
  console.log(`${file}: ${bom.components.length} components, those bundled into dist/ included.`)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
