import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import type { NeededFile } from '../checks/define.ts'
import { importedFiles } from '../checks/probe/playwright/imported-files.ts'
import { compareText } from '../text/compare-text.ts'

/** Limits of the scripts of one check. */
const maxScriptFiles = 500
const maxScriptBytes = 4 * 1024 * 1024

/** Why the files of a check are not sent to agents, as a sentence about them. */
export class ScriptProblem extends Error {
  override readonly name = 'ScriptProblem'
}

/** Written by package managers and test runs, or of no use to a run. */
const skippedFolders = ['node_modules', '.git', 'test-results', 'playwright-report', 'blob-report']

/** A file to send: its path as scripts use it, and its path with symbolic links resolved. */
export type ScriptFile = { readonly path: string; readonly realPath: string }

/**
 * The files of a check by absolute path: its files and folders, and relative imports of scripts in them. Throws a `ScriptProblem` if they
 * are too many or too large, or one must not be sent.
 */
export async function findScriptFiles(needed: readonly NeededFile[], configFile: string): Promise<readonly ScriptFile[]> {
  const config = await stat(configFile).catch(() => null)
  const found = new Map<string, ScriptFile>()
  const queue: string[] = []
  let bytes = 0

  async function add(path: string, folder: string): Promise<void> {
    if (found.has(path)) return
    const realPath = await realpath(path)
    const name = relative(folder, path)
    const state = await stat(realPath)
    if (state.ino === config?.ino && state.dev === config.dev) throw configFileAmongThem()
    if (!(await staysWithin(folder, path, realPath))) throw new ScriptProblem(`${name} is a symbolic link that leaves its folder`)
    if (!state.isFile()) throw new ScriptProblem(`${name} is not a file`)
    bytes += state.size
    if (bytes > maxScriptBytes) throw new ScriptProblem(`they exceed ${maxScriptBytes / 1024 / 1024} MiB in total`)
    if (found.size === maxScriptFiles) throw new ScriptProblem(`there are more than ${maxScriptFiles} of them`)
    found.set(path, { path, realPath })
    queue.push(path)
  }

  for (const { path, kind } of needed) {
    const absolute = resolve(dirname(configFile), path)
    const folder = kind === 'folder' ? absolute : dirname(absolute)
    if (kind === 'folder' && configFile.startsWith(`${absolute}${sep}`)) throw configFileAmongThem()
    if (kind === 'file') await add(absolute, folder)
    else for await (const file of filesIn(absolute)) await add(file, folder)
    for (let file = queue.pop(); file !== undefined; file = queue.pop())
      for (const imported of await importedFiles(file)) await add(imported, folder)
  }
  return [...found.values()].toSorted((a, b) => compareText(a.path, b.path))
}

/**
 * Whether no symbolic link in the path of a file leads out of the folder that the config file names; that folder may be a link itself. A
 * file that scripts import from elsewhere must have no links in its path below the common folder.
 */
async function staysWithin(folder: string, path: string, realPath: string): Promise<boolean> {
  if (isWithin(realPath, await realpath(folder))) return true
  const shared = commonFolder([path, folder])
  return join(await realpath(shared), relative(shared, path)) === realPath
}

const isWithin = (path: string, folder: string) => path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)

const configFileAmongThem = () => new ScriptProblem('the config file is among them; put scripts into a separate folder')

async function* filesIn(folder: string): AsyncGenerator<string> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && !skippedFolders.includes(entry.name)) yield* filesIn(path)
    if (entry.isFile() || (entry.isSymbolicLink() && (await stat(path)).isFile())) yield path
  }
}

/** The deepest folder that contains all of these paths. */
export function commonFolder(paths: readonly string[]): string {
  const [first = [], ...rest] = paths.map((path) => dirname(path).split(sep))
  const differs = first.findIndex((name, i) => rest.some((names) => names[i] !== name))
  return first.slice(0, differs === -1 ? first.length : differs).join(sep) || sep
}

/** Whether one of these files is the `package.json` of a folder, or of one above it. */
export function hasPackageFile(folder: string, files: readonly string[]): boolean {
  const packages = files.filter((file) => basename(file) === 'package.json').map(dirname)
  return packages.some((path) => path === folder || folder.startsWith(`${path}${sep}`))
}
