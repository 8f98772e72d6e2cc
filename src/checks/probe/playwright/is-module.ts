import { readFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'

/** Whether Node loads a file as an ES module. */
export async function isModule(file: string): Promise<boolean> {
  const extension = extname(file)
  if (/^\.m[jt]s$/.test(extension)) return true
  if (/^\.c[jt]s$/.test(extension)) return false
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => null)
    if (text !== null) return /"type"\s*:\s*"module"/.test(text)
    if (dirname(folder) === folder) return false
  }
}
