import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { checkTypes } from '../src/checks/registry.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const floors: Readonly<Record<string, number>> = {
  checks: 0,
  catalogue: 1,
  store: 1,
  analytics: 2,
  badges: 2,
  ingest: 2,
  runner: 2,
  http: 3,
  web: 3,
  cli: 4,
}

type Import = { readonly file: string; readonly from: string; readonly to: string }

const sources = filesUnder('src').filter((file) => !file.startsWith('src/web/'))
const production = sources.filter((file) => !file.endsWith('.test.ts'))
const imports = production.flatMap(importsOf)

describe('the floors', () => {
  test('every folder of src has its floor', () => {
    const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
    expect(folders.map(({ name }) => name).filter((name) => !Object.hasOwn(floors, name))).toEqual([])
  })
  test('imports go down only', () => {
    expect(imports.filter(({ from, to }) => floorOf(to) > floorOf(from)).map(tell)).toEqual([])
  })
  test('folders on the same floor do not see each other', () => {
    const sideways = imports.filter(({ from, to }) => from !== to && floorOf(from) === floorOf(to) && isFolder(from) && isFolder(to))
    expect(sideways.map(tell)).toEqual([])
  })
  test('what stands beside the folders is ground for all, but for the program and its settings', () => {
    const ground = imports.filter(({ file, to }) => /^src\/[^/]+\.ts$/.test(file) && isFolder(to))
    expect(ground.filter(({ file }) => !['src/main.ts', 'src/config.ts'].includes(file)).map(tell)).toEqual([])
  })
})

describe('no file outside src/checks names a check type', () => {
  const others = [...sources, ...filesUnder('test')].filter((file) => !file.startsWith('src/checks/') && !speaksOfTransports(file))
  const types = checkTypes.map(({ type }) => type).join('|')
  const paths = checkTypes.map(({ path }) => path).join('|')

  test('not by its name', () => {
    expect(others.flatMap((file) => found(file, new RegExp(`['"\`](${types})['"\`]`, 'g')))).toEqual([])
    expect(others.flatMap((file) => found(file, new RegExp(`checkType=(${types})\\b`, 'g')))).toEqual([])
  })
  test('not by its path', () => {
    expect(others.flatMap((file) => found(file, new RegExp(`analytics/(${paths})\\b`, 'g')))).toEqual([])
  })
  test('not by its folder', () => {
    const folders = readdirSync(join(root, 'src/checks'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'probe')
      .map(({ name }) => name)
      .join('|')
    expect(others.flatMap((file) => found(file, new RegExp(`checks/(${folders})/`, 'g')))).toEqual([])
  })
})

function filesUnder(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.parentPath.includes('node_modules'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
}

function importsOf(file: string): readonly Import[] {
  const specifiers = [...read(file).matchAll(/(?:from|import|URL)\s*\(?\s*'(\.[^']+)'/g)].map((match) => match[1] ?? '')
  return specifiers.map((specifier) => ({ file, from: folderOf(file), to: folderOf(join(file, '..', specifier)) }))
}

/** The folder of src that a file stands in; the file itself where it stands in none. */
function folderOf(file: string): string {
  return file.split('/')[1] ?? ''
}

const isFolder = (name: string) => Object.hasOwn(floors, name)

/** What stands in no folder is below them all, but the program itself is above. */
function floorOf(name: string): number {
  return floors[name] ?? (name === 'main.ts' ? 5 : name === 'config.ts' ? 1 : -1)
}

/** Where UDP is named too, the other name is that of a transport. */
const speaksOfTransports = (file: string) => read(file).includes("'UDP'")

const tell = ({ file, to }: Import) => `${file} imports ${to}`

const found = (file: string, pattern: RegExp) => [...read(file).matchAll(pattern)].map((match) => `${file}: ${match[0]}`)

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}
