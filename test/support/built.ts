import { chmodSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { temporaryFolder, workerFolder } from './temporary-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const source = join(root, 'src/')

let modules: Promise<string> | undefined

/** Imports a module of the built program, in which threads work; `path` is that of its source in src/. */
export async function importBuilt<Module>(path: string): Promise<Module> {
  return import(pathToFileURL(builtModule(await builtModules(), path)).href)
}

/** The folder of an unbundled build, with a file for each module (dist/ is bundled). Built once per worker, and removed with it. */
export function builtModules(): Promise<string> {
  modules ??= buildModules((_, code) => code, workerFolder())
  return modules
}

/** Builds the program with a file for each module, after `alter` has transformed each source. */
export async function buildModules(alter: (path: string, code: string) => string, folder = temporaryFolder()): Promise<string> {
  // Some tests run the program as another user.
  chmodSync(folder, 0o755)
  for (const part of ['package.json', 'node_modules']) symlinkSync(join(root, part), join(folder, part))
  mkdirSync(join(folder, 'dist'))
  symlinkSync(join(root, 'dist/web'), join(folder, 'dist/web'))
  const bundle = await rolldown({
    input: sources().map((path) => source + path),
    platform: 'node',
    external: (id) => /^[^./]/.test(id),
    plugins: [{ name: 'alter', transform: (code, id) => alter(id.slice(source.length), code) }],
  })
  await bundle.write({ dir: join(folder, 'dist'), preserveModules: true, preserveModulesRoot: source })
  await bundle.close()
  return folder
}

/** The path at which `buildModules` puts a module of src/. */
export function builtModule(folder: string, path: string): string {
  return join(folder, 'dist', path.replace(/\.ts$/, '.js'))
}

function sources(): readonly string[] {
  const paths = readdirSync(source, { recursive: true, encoding: 'utf8' })
  return paths.filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !/^(web|client)\//.test(path))
}
