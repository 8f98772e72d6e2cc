import { chmodSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { temporaryFolder, workerFolder } from './temporary-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const source = join(root, 'src/')

let modules: Promise<string> | undefined

/** A module of the built program, whose threads are built too; `path` is that of its source in src/. */
export async function importBuilt<Module>(path: string): Promise<Module> {
  return import(pathToFileURL(builtModule(await builtModules(), path)).href)
}

/** The folder of the program with a file for each module: the one in dist/ is bundled. Built once for a worker, with which it goes. */
export function builtModules(): Promise<string> {
  modules ??= buildModules((_, code) => code, workerFolder())
  return modules
}

/** Builds the program with a file for each module, from what `alter` makes of the source at a path in src/. */
export async function buildModules(alter: (path: string, code: string) => string, folder = temporaryFolder()): Promise<string> {
  // Another user runs it in tests, too.
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

/** Where buildModules puts the module at a path in src/. */
export function builtModule(folder: string, path: string): string {
  return join(folder, 'dist', path.replace(/\.ts$/, '.js'))
}

function sources(): readonly string[] {
  const paths = readdirSync(source, { recursive: true, encoding: 'utf8' })
  return paths.filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !/^(web|client)\//.test(path))
}
