import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { atEnd } from './at-end.ts'
import { temporaryFolder } from './temporary-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A copy of the built program in which functions can be made to spin. */
export type AlteredBuild = {
  readonly bin: string
  /** A module of the copy, by the path of its source in src/. */
  importModule<Module>(path: string): Promise<Module>
  /** Whether the function of the module at this path never returns when it is called from now on. */
  spin(path: string, on: boolean): void
}

/** By the path of a module in src/, the text in its built form after which it spins. */
export function buildThatSpins(afterTexts: Readonly<Record<string, string>>): AlteredBuild {
  const folder = temporaryFolder()
  for (const part of ['dist', 'package.json']) cpSync(join(root, part), join(folder, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const built = (path: string) => join(folder, 'dist', path.replace(/\.ts$/, '.js'))
  const marker = (path: string) => `${built(path)}.spin`
  for (const [path, afterText] of Object.entries(afterTexts)) {
    const code = readFileSync(built(path), 'utf8')
    if (code.split(afterText).length !== 2) throw new RangeError(`${afterText} is not in ${path} once`)
    const spinning = `${afterText}\n  if (hasSpinMarker(${JSON.stringify(marker(path))})) ${endless}\n`
    writeFileSync(built(path), `import { existsSync as hasSpinMarker } from 'node:fs'\n${code.replace(afterText, () => spinning)}`)
  }
  return {
    bin: join(folder, 'dist', 'bin.cjs'),
    importModule: (path) => import(pathToFileURL(built(path)).href),
    spin(path, on) {
      const calm = () => rmSync(marker(path), { force: true })
      if (!on) return calm()
      writeFileSync(marker(path), '')
      atEnd(calm)
    },
  }
}

/** A loop that never returns to the event loop, and leaves the processor to other tests. */
const endless = 'for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)'
