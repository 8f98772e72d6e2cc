import { open, readFile, realpath, rename, rm, stat } from 'node:fs/promises'

/** Changes a file at one stroke: whoever reads it finds the old text or the new, and its mode stays. */
export async function changeFile(file: string, change: (text: string) => string): Promise<void> {
  const place = await realpath(file)
  const { mode } = await stat(place)
  await replaceFile(place, change(await readFile(place, 'utf8')), mode & 0o777)
}

/** Writes a file whole or not at all. */
export async function replaceFile(file: string, text: string, mode: number): Promise<void> {
  const draft = `${file}.${process.pid}.tmp`
  try {
    const handle = await open(draft, 'wx', mode)
    try {
      await handle.chmod(mode)
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
