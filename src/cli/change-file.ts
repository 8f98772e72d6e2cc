import { open, readFile, realpath, rename, rm, stat } from 'node:fs/promises'

/** Changes a file atomically and keeps its mode: readers see the old text or the new. */
export async function changeFile(file: string, change: (text: string) => string): Promise<void> {
  const path = await realpath(file)
  const { mode } = await stat(path)
  await replaceFile(path, change(await readFile(path, 'utf8')), mode & 0o777)
}

/** Writes a file atomically. */
export async function replaceFile(file: string, text: string, mode: number): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`
  try {
    const handle = await open(temporary, 'wx', mode)
    try {
      await handle.chmod(mode)
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
