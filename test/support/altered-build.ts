import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildModules, builtModule } from './built.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** A build in which functions can be made to spin. */
export type AlteredBuild = {
  readonly folder: string
  importModule<Module>(path: string): Promise<Module>
  /** While `work` runs, the function of the module at this path never returns. */
  whileSpinning<T>(path: string, work: () => Promise<T>): Promise<T>
}

/** `afterTexts` maps paths of modules in src/ to the text after which the module spins. */
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
    async whileSpinning(path, work) {
      writeFileSync(marker(path), '')
      try {
        return await work()
      } finally {
        rmSync(marker(path))
      }
    },
  }
}

/** An endless loop that never returns to the event loop, but yields the processor to other tests. */
const endless = 'for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)'
