import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { instrument } from './instrument.ts'
import type { Mutant } from './mutants.ts'

export type Sandbox = { readonly folder: string; readonly recordings: string; remove(): void }

/** A copy of the working tree with the mutants in its sources; the tree itself is not changed. */
export function createSandbox(root: string, mutants: readonly Mutant[]): Sandbox {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'tidemark-mutation-')))
  const folder = join(base, 'tree')
  const recordings = join(base, 'reached')
  mkdirSync(recordings)
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  for (const file of new Set(files.split('\0').filter((name) => name !== '' && existsSync(join(root, name))))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    const own = mutants.filter((mutant) => mutant.file === file)
    if (own.length === 0) copyFileSync(join(root, file), join(folder, file))
    else writeFileSync(join(folder, file), instrument(file, readFileSync(join(root, file), 'utf8'), own))
  }
  for (const place of ['.', 'src/client', 'src/web'].map((workspace) => join(workspace, 'node_modules')))
    if (existsSync(join(root, place))) symlinkSync(join(root, place), join(folder, place))
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: folder, stdio: 'ignore' })
  return { folder, recordings, remove: () => rmSync(base, { recursive: true, force: true }) }
}

/** Tests that run the build, by the sources that they cover; other such tests take too long. */
const testsOfBuild = { 'test/page/': 'src/web/', 'test/cli/': 'src/cli/', 'test/agent/': 'src/agent/', 'src/checks/': 'src/checks/' }
const runsBuild = new Set(['test/support/program.ts', 'test/support/chromium.ts'])

/** The test files that run one of `sources`: through imports, also indirect ones, or through the build. */
export function testsReaching(folder: string, sources: ReadonlySet<string>): readonly TestImports[] {
  const importsOf = new Map<string, readonly string[]>()
  const reach = (file: string, seen = new Set<string>()): Set<string> => {
    if (seen.has(file)) return seen
    seen.add(file)
    const below = importsOf.get(file) ?? importedBy(folder, file)
    importsOf.set(file, below)
    for (const next of below) reach(next, seen)
    return seen
  }
  const isMutated = (prefix: string) => [...sources].some((file) => file.startsWith(prefix))
  const kinds = new Set(['// @slow alone', ...(isMutated('src/store/clickhouse/') ? [] : ['// @slow clickhouse'])])
  return testFiles(folder)
    .filter((path) => !kinds.has(readFileSync(join(folder, path), 'utf8').split('\n', 1)[0] ?? ''))
    .map((path) => ({ path, imports: reach(path) }))
    .filter(({ path, imports }) => {
      const built = Object.entries(testsOfBuild).find(([tests]) => path.startsWith(tests))?.[1]
      if (built && isMutated(built)) return true
      if (path.startsWith('test/page/') || [...imports].some((file) => runsBuild.has(file))) return false
      return [...imports].some((file) => sources.has(file))
    })
}

export type TestImports = { readonly path: string; readonly imports: ReadonlySet<string> }

function testFiles(folder: string): readonly string[] {
  return ['src', 'test'].flatMap((top) =>
    readdirSync(join(folder, top), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => `${top}/${name}`),
  )
}

function importedBy(folder: string, file: string): readonly string[] {
  const source = readFileSync(join(folder, file), 'utf8')
  return [...source.matchAll(/(?:from|import|import\()\s*'(\.{1,2}\/[^']+\.ts)'/g)]
    .map(([, path = '']) => relative(folder, resolve(folder, dirname(file), path)))
    .filter((path) => existsSync(join(folder, path)))
}
