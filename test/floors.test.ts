import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { checkTypes } from '../src/checks/registry.ts'
import { grouped } from '../src/collections/lists.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const generatedTypes = 'src/client/openapi.ts'
const floors: Readonly<Record<string, number>> = {
  text: -2,
  ids: -2,
  cache: -2,
  collections: -2,
  concurrency: -2,
  files: -2,
  schema: -2,
  client: -2,
  stats: -2,
  threads: -2,
  calendar: -1,
  checks: 0,
  catalogue: 1,
  store: 1,
  'alerts/channels': 0.5,
  alerts: 2,
  analytics: 2,
  badges: 2,
  ingest: 2,
  locations: 2,
  managed: 2,
  prometheus: 2,
  runner: 2,
  http: 3,
  agent: 3,
  web: 3,
  cli: 4,
}

type Import = { readonly file: string; readonly from: string; readonly target: string; readonly to: string }

const sources = filesUnder('src')
const production = sources.filter((file) => !file.endsWith('.test.ts'))
const imports = production.flatMap(importsOf)
const typeFolders = readdirSync(join(root, 'src/checks'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'probe')
  .map(({ name }) => name)

/** Exported by every check type. */
const namesOfTypes = ['demo', 'judge', 'metrics', 'run', 'wire']
/** Names responses of the API like the server does. */
const answerTypes = 'src/web/api/answers.ts'

describe('names', () => {
  test('an exported name has one meaning', () => {
    const files = production.filter((file) => file !== answerTypes && file !== generatedTypes)
    expect(namedTwice(files).filter((name) => !namesOfTypes.includes(name))).toEqual([])
    expect(namedTwice(production.filter((file) => file.startsWith('src/web/')))).toEqual([])
  })
  test('every export is used by a file that imports its module', () => {
    const all = [...sources, ...['test', 'bench', 'scripts'].flatMap(filesUnder)]
    const importers = grouped(all.flatMap(importsOf), ({ target }) => target)
    const words = new Map(all.map((file) => [file, new Set(read(file).match(/import \* as|\w+/g))]))
    const isNamedIn = (file: string, name: string) => words.get(file)?.has(name) || words.get(file)?.has('import * as')
    const isUsed = (file: string, name: string) => importers.get(file)?.some((by) => isNamedIn(by.file, name))
    const modules = production.filter((file) => file !== generatedTypes)
    const unused = modules.flatMap((file) => exportedNames(file).filter((name) => !isUsed(file, name)))
    expect(unused).toEqual([])
  })
})

describe('the levels', () => {
  test('every folder of src has its level', () => {
    const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
    expect(folders.map(({ name }) => name).filter((name) => !Object.hasOwn(floors, name))).toEqual([])
  })
  test('imports go down only', () => {
    expect(imports.filter(({ from, to }) => floorOf(to) > floorOf(from)).map(tell)).toEqual([])
  })
  test('folders on the same level do not import each other', () => {
    const sideways = imports.filter(({ from, to }) => from !== to && floorOf(from) === floorOf(to) && isFolder(from) && isFolder(to))
    expect(sideways.map(tell)).toEqual([])
  })
  test('files outside of folders import from none of them, except the program', () => {
    const beside = imports.filter(({ from }) => !isFolder(from) && from !== 'main.ts')
    expect(beside.filter(({ from, to }) => floorOf(to) > floorOf(from)).map(tell)).toEqual([])
  })
  test('every import is found, and its target exists', () => {
    const seen = imports.filter(({ target }) => !existsSync(join(root, target)))
    expect(seen.map(tell)).toEqual([])
    const statements = production.flatMap((file) => found(file, /^(?:import|\} from) .*['"]\.{1,2}\//gm))
    expect(imports.length).toBeGreaterThanOrEqual(statements.length)
  })
  test('the page shares only the meaning of windows, badge drawing, the cache, back-off, CSV, lists and time units with the server', () => {
    const shared = imports.filter(({ from, to, target }) => from === 'web' && to !== 'web' && target !== generatedTypes)
    expect(new Set(shared.map(({ to }) => to))).toEqual(
      new Set(['analytics', 'badges', 'cache', 'calendar', 'collections', 'concurrency', 'text', 'time.ts']),
    )
    const concurrent = shared.filter(({ to }) => to === 'concurrency')
    expect(new Set(concurrent.map(({ target }) => target))).toEqual(new Set(['src/concurrency/backoff.ts']))
  })
  test('response types are generated, and add no bytes to the page', () => {
    expect(found('src/web/api/answers.ts', /^import (?!type )/gm)).toEqual([])
    const importers = imports.filter(({ from, target }) => from === 'web' && target === generatedTypes)
    expect(importers.map(({ file }) => file)).toEqual(['src/web/api/answers.ts'])
  })
  test('the folder of a check type is imported only by the registry', () => {
    const seen = imports.filter(({ file, target }) => typeFolder(target) !== undefined && typeFolder(target) !== typeFolder(file))
    expect(new Set(seen.map(({ file }) => file))).toEqual(new Set(['src/checks/registry.ts']))
  })
  test('the environment is read only by the program, which passes it on', () => {
    const readers = production.filter((file) => !file.endsWith('/demo.ts')).flatMap((file) => found(file, /process\.env\b/g))
    expect(readers).toEqual([])
  })
})

describe('no file outside src/checks names a check type', () => {
  const others = [...sources, ...filesUnder('test'), ...filesUnder('bench'), ...filesUnder('scripts')].filter(
    (file) => !file.startsWith('src/checks/') && file !== generatedTypes && !speaksOfTransports(file),
  )
  const types = checkTypes.map(({ type }) => type).join('|')
  const paths = checkTypes.map(({ path }) => path).join('|')

  test('not by its name', () => {
    expect(others.flatMap((file) => found(file, new RegExp(`['"\`](${types})['"\`]`, 'g')))).toEqual([])
    expect(others.flatMap((file) => found(file, new RegExp(`checkType=(${types})\\b`, 'g')))).toEqual([])
  })
  test('not by its label', () => {
    const labels = checkTypes.map(({ label }) => label).join('|')
    expect(others.flatMap((file) => found(file, new RegExp(labels, 'g')))).toEqual([])
  })
  test('not by its path', () => {
    expect(others.flatMap((file) => found(file, new RegExp(`analytics/(${paths})\\b`, 'g')))).toEqual([])
  })
  test('not by its folder', () => {
    expect(others.flatMap((file) => found(file, new RegExp(`checks/(${typeFolders.join('|')})/`, 'g')))).toEqual([])
  })
})

function filesUnder(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(tsx?|mjs)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((file) => !/\/(node_modules|dist)\//.test(file))
}

/** Static and dynamic imports, type imports, and modules referenced by URL. */
function importsOf(file: string): readonly Import[] {
  const specifiers = [...read(file).matchAll(/\b(?:from|import|URL)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g)].map((match) => match[1] ?? '')
  return specifiers.map((specifier) => {
    const target = join(file, '..', specifier)
    return { file, from: folderOf(file), target, to: folderOf(target) }
  })
}

/** The folder of src that contains a file, or the file itself if it is in none. The config file declares channels, so they are lower. */
function folderOf(file: string): string {
  return file.startsWith('src/alerts/channels/') ? 'alerts/channels' : (file.split('/')[1] ?? '')
}

/** The folder of the check type that contains a file. */
function typeFolder(file: string): string | undefined {
  return typeFolders.find((folder) => file.startsWith(`src/checks/${folder}/`))
}

const isFolder = (name: string) => Object.hasOwn(floors, name)

/** Files outside of folders are below all folders, except the program, which is above them. */
function floorOf(name: string): number {
  return floors[name] ?? (name === 'main.ts' ? 5 : -2)
}

/** In files that name UDP too, the other name is a transport. */
const speaksOfTransports = (file: string) => read(file).includes("'UDP'")

const tell = ({ file, target }: Import) => `${file} imports ${target}`

const found = (file: string, pattern: RegExp) => [...read(file).matchAll(pattern)].map((match) => `${file}: ${match[0]}`)

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

function namedTwice(files: readonly string[]): readonly string[] {
  const taken = new Set<string>()
  return [...new Set(files.flatMap(exportedNames).filter((name) => taken.has(name) || !taken.add(name)))]
}

function exportedNames(file: string): readonly string[] {
  const declared = /^export (?:async )?(?:function\*?|const|let|class|type|interface) (\w+)/gm
  return [...new Set([...read(file).matchAll(declared)].map((match) => match[1] as string))]
}
