import { cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { temporaryFolder } from './temporary-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A copy of the built program in which functions can be made to spin. */
export type AlteredBuild = {
  readonly bin: string
  /** A module of the copy, by the path of its source in src/. */
  importModule<Module>(path: string): Promise<Module>
  /** Whether the function spins for ever when it is called from now on. */
  spin(on: boolean): void
}

/** `path` is that of a module in src/, and `afterText` the text in its built form after which it spins. */
export function buildThatSpins(path: string, afterText: string): AlteredBuild {
  const folder = temporaryFolder()
  const marker = join(folder, 'spin')
  for (const part of ['dist', 'package.json']) cpSync(join(root, part), join(folder, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const file = join(folder, 'dist', path.replace(/\.ts$/, '.js'))
  const code = readFileSync(file, 'utf8')
  if (code.split(afterText).length !== 2) throw new RangeError(`${afterText} is not in ${path} once`)
  const spinning = `${afterText}\n  if (hasSpinMarker(${JSON.stringify(marker)})) for (;;);\n`
  writeFileSync(file, `import { existsSync as hasSpinMarker } from 'node:fs'\n${code.replace(afterText, () => spinning)}`)
  return {
    bin: join(folder, 'dist', 'bin.cjs'),
    importModule: (module) => import(pathToFileURL(join(folder, 'dist', module.replace(/\.ts$/, '.js'))).href),
    spin(on) {
      if (on) writeFileSync(marker, '')
      else if (existsSync(marker)) rmSync(marker)
    },
  }
}
