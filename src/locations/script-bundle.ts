import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { isModule } from '../checks/probe/playwright/is-module.ts'
import { staysInFolder } from '../files/stays-in-folder.ts'
import { commonFolder, hasPackageFile, type ScriptFile, ScriptProblem } from './script-files.ts'

/** The files of a check as they are sent to agents. Paths are relative to one folder, and have slashes. */
export type ScriptBundle = {
  /** The folder of the bundle that replaces the folder of the config file. */
  readonly configDir: string
  readonly files: readonly { readonly path: string; readonly content: Buffer }[]
}

/** Content-addressed: equal files have an equal name. */
export const bundleName = (text: string): string => hash('sha256', text)

/** Reads files into a bundle; throws a `ScriptProblem` if an agent would reject it. */
export async function readBundle(found: readonly ScriptFile[], configFile: string): Promise<ScriptBundle> {
  const paths = found.map(({ path }) => path)
  const root = commonFolder([...paths, configFile])
  const name = (path: string) => relative(root, path).split(sep).join('/')
  const odd = [...paths, join(dirname(configFile), 'config')].find((path) => !staysInFolder(name(path)))
  if (odd !== undefined) throw new ScriptProblem(`${JSON.stringify(name(odd))} is not a portable file name`)
  const files = await Promise.all(found.map(async ({ path, realPath }) => ({ path: name(path), content: await readFile(realPath) })))
  const unmarked = [...new Set(paths.map(dirname))].filter((folder) => !hasPackageFile(folder, paths))
  const markers = await Promise.all(
    unmarked.map(async (folder) => ({ path: name(join(folder, 'package.json')), ...(await marker(folder)) })),
  )
  return { configDir: name(dirname(configFile)), files: [...files, ...markers] }
}

/** A package.json with the module type of a folder, instead of one that is not sent. */
async function marker(folder: string): Promise<{ readonly content: Buffer }> {
  const type = (await isModule(join(folder, 'script.js'))) ? 'module' : 'commonjs'
  return { content: Buffer.from(JSON.stringify({ type })) }
}

export function encodeBundle({ configDir, files }: ScriptBundle): string {
  return JSON.stringify({ configDir, files: files.map(({ path, content }) => ({ path, base64: content.toString('base64') })) })
}

/** Throws if the text is not a bundle, or one of its paths leaves its folder. */
export function decodeBundle(text: string): ScriptBundle {
  const { configDir, files } = JSON.parse(text) as { configDir: string; files: readonly { path: string; base64: string }[] }
  for (const path of [configDir === '' ? 'config' : configDir, ...files.map((file) => file.path)])
    if (!staysInFolder(path)) throw new RangeError(`the path ${JSON.stringify(path)} leaves its folder`)
  return { configDir, files: files.map(({ path, base64 }) => ({ path, content: Buffer.from(base64, 'base64') })) }
}
