import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ScriptBundle } from '../locations/script-bundle.ts'

/**
 * Writes scripts into a temporary folder, which only this user may read, and removes it after `use`. `configDir` replaces the folder of the
 * config file.
 */
export async function withScriptFolder<T>({ configDir, files }: ScriptBundle, use: (configDir: string) => Promise<T>): Promise<T> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'tidemark-scripts-')))
  try {
    for (const { path, content } of files) {
      const file = join(folder, path)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, content, { flag: 'wx' })
    }
    return await use(join(folder, configDir))
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
}
