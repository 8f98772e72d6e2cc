import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { atEnd } from './at-end.ts'
import { buildModules, builtModule } from './built.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** A build in which functions can be made to spin. */
export type AlteredBuild = {
  readonly folder: string
  importModule<Module>(path: string): Promise<Module>
  /** Whether the function of the module at this path never returns when it is called from now on. */
  spin(path: string, on: boolean): void
}

/** By the path of a module in src/, the text in it after which it spins. */
export async function buildThatSpins(afterTexts: Readonly<Record<string, string>>): Promise<AlteredBuild> {
  const markers = temporaryFolder()
  const marker = (path: string) => join(markers, path.replaceAll('/', '-'))
  const folder = await buildModules((path, code) => {
    const afterText = afterTexts[path]
    if (afterText === undefined) return code
    if (code.split(afterText).length !== 2) throw new RangeError(`${afterText} is not in ${path} once`)
    const spinning = `${afterText}\n  if (hasSpinMarker(${JSON.stringify(marker(path))})) ${endless}\n`
    return `import { existsSync as hasSpinMarker } from 'node:fs'\n${code.replace(afterText, () => spinning)}`
  })
  return {
    folder,
    importModule: (path) => import(pathToFileURL(builtModule(folder, path)).href),
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
