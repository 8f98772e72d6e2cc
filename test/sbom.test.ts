// @slow
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from './support/temporary-folder.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

test('the SBOM contains our name and the shipped packages, with versions and hashes, and no registry URLs', { timeout: 120_000 }, () => {
  const folder = temporaryFolder()
  execFileSync(process.execPath, [join(root, 'scripts/sbom.mjs'), folder])
  const { name, version, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect(readdirSync(folder)).toEqual([`${name}-${version}.cdx.json`])
  const text = readFileSync(join(folder, `${name}-${version}.cdx.json`), 'utf8')
  const { bomFormat, metadata, components } = JSON.parse(text)
  expect([bomFormat, metadata.component.name, metadata.component.version]).toEqual(['CycloneDX', name, version])
  const listed = new Map<string, unknown[]>(components.map((one: { name: string; hashes?: unknown[] }) => [one.name, one.hashes ?? []]))
  for (const dependency of [...Object.keys(dependencies), 'preact', 'uplot', 'typebox']) expect(listed.get(dependency)).toHaveLength(1)
  for (const tool of ['vitest', 'vite', 'typescript']) expect(listed.has(tool)).toBe(false)
  expect(text.match(/https?:\/\/(?!cyclonedx\.org)/)).toBeNull()
})
