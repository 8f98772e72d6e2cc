// @slow
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { needing, programMissing } from './support/needs.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

const hasGit = needing(await programMissing('git'))
const root = fileURLToPath(new URL('..', import.meta.url))

/** Files that operators create for the compose files. */
const mounted = readdirSync(`${root}deploy`)
  .filter((name) => /^compose.*\.yaml$/.test(name))
  .flatMap((name) => Object.values<{ readonly file: string }>(parse(readFileSync(`${root}deploy/${name}`, 'utf8')).secrets ?? {}))
  .map(({ file }) => join('deploy', file))

/** Other files that they may keep next to them. */
const others = [
  'deploy/cluster/.env',
  'deploy/.env.production',
  'deploy/cluster/config/ca.pem',
  'deploy/cluster/config/server.key',
  'deploy/cluster/config/clickhouse.password',
  'deploy/data/tidemark.db',
]
const secrets = [...mounted, ...others]
const besideSources = ['config/tidemark.yaml', '.env', 'data/tidemark.db', 'demo-data/tidemark.db']

/** A copy of these parts of a clone, in which someone has set up a server. */
function setUp(): string {
  const folder = temporaryFolder()
  for (const path of ['package.json', '.gitignore', 'deploy']) cpSync(join(root, path), join(folder, path), { recursive: true })
  for (const path of [...secrets, ...besideSources]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), 'secret')
  }
  return folder
}

test('compose files name secrets', () => {
  expect(mounted).toEqual(['deploy/cluster/secrets/clickhouse-password', 'deploy/cluster/secrets/agent-key'])
})

describe("secrets and data of an operator's server", { timeout: 60_000 }, () => {
  test('are not in the package', () => {
    const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error']
    const [{ files }] = JSON.parse(execFileSync('npm', args, { cwd: setUp(), encoding: 'utf8' }))
    const packed = files.map(({ path }: { readonly path: string }) => path)
    expect(packed).toEqual(expect.arrayContaining(['deploy/compose.cluster.yaml', 'deploy/cluster/config/tidemark.yaml']))
    expect(packed.filter((path: string) => [...secrets, ...besideSources].includes(path))).toEqual([])
  })

  test('are not in the build context of the image', () => {
    const lines = readFileSync(`${root}deploy/Dockerfile.dockerignore`, 'utf8').split('\n')
    const isIgnored = (path: string) => lines.some((line) => line !== '' && !line.startsWith('#') && ignoring(line).test(path))
    expect([...secrets, ...besideSources].filter((path) => !isIgnored(path))).toEqual([])
    expect(['package.json', 'deploy/Dockerfile', 'src/cli/program.ts', 'deploy/cluster/config/tidemark.yaml'].filter(isIgnored)).toEqual([])
  })

  test('are ignored by git', hasGit, () => {
    const folder = setUp()
    const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' })
    git('init', '--quiet')
    const offered = git('ls-files', '--others', '--exclude-standard').split('\n')
    expect(offered).toContain('deploy/compose.cluster.yaml')
    expect(offered.filter((path) => [...secrets, ...besideSources].includes(path))).toEqual([])
  })
})

/** The paths that a line without an exclamation mark matches, including everything below them. */
function ignoring(line: string): RegExp {
  const pattern = line.replaceAll('.', '\\.').replaceAll('**/', '\0').replaceAll('*', '[^/]*').replaceAll('\0', '(?:.*/)?')
  return new RegExp(`^${pattern}(?:/|$)`)
}
