import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import type { NeededFile } from '../checks/define.ts'
import { importedFiles } from '../checks/probe/playwright/imported-files.ts'

/** At most so much is sent for one check. */
export const maxScriptFiles = 500
export const maxScriptBytes = 4 * 1024 * 1024

/** Why the files of a check are not sent to agents, as a sentence about them. */
export class ScriptProblem extends Error {
  override readonly name = 'ScriptProblem'
}

/** Written by package managers and test runs, or of no use to a run. */
const skippedFolders = ['node_modules', '.git', 'test-results', 'playwright-report', 'blob-report']

/** The absolute paths of what a check needs: its files and folders, and what scripts in them import by relative paths. */
export async function findScriptFiles(needed: readonly NeededFile[], configFile: string): Promise<readonly string[]> {
  const configDir = dirname(configFile)
  const found = new Set<string>()
  const queue: string[] = []
  const add = (file: string) => {
    if (file === configFile) throw configFileAmongThem()
    if (found.has(file)) return
    if (found.size === maxScriptFiles) throw new ScriptProblem(`there are more than ${maxScriptFiles} of them`)
    found.add(file)
    queue.push(file)
  }
  for (const { path, kind } of needed) {
    const absolute = resolve(configDir, path)
    if (kind === 'folder' && configFile.startsWith(`${absolute}${sep}`)) throw configFileAmongThem()
    if (kind === 'file') add(absolute)
    else for await (const file of filesIn(absolute)) add(file)
  }
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) for (const imported of await importedFiles(file)) add(imported)
  return [...found].toSorted()
}

const configFileAmongThem = () => new ScriptProblem('the config file is among them; put scripts into a folder of their own')

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
