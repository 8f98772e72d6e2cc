import { chmodSync, closeSync, existsSync, openSync } from 'node:fs'
import { makeFolder } from '../../../files/make-folder.ts'

const onlyOwner = { folder: 0o700, file: 0o600 } as const

/** Creates a folder that only its owner may enter, regardless of the umask. An existing folder keeps its mode. */
export function makePrivateFolder(directory: string): void {
  const isNew = !existsSync(directory)
  makeFolder(directory)
  if (isNew) chmodSync(directory, onlyOwner.folder)
}

/**
 * Creates an empty file that only its owner may read, or restricts an existing one, before SQLite opens it: its `-wal` and `-shm` inherit
 * the mode. An existing file is never opened here, since closing it would release the locks that SQLite holds on it in this process.
 */
export function makePrivateFile(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'wx', onlyOwner.file))
  restrictFile(path)
}

/** Restricts a file, if it exists. Only its owner may do so: a file of another user keeps its mode. */
export function restrictFile(path: string): void {
  try {
    chmodSync(path, onlyOwner.file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EPERM' && code !== 'ENOENT') throw error
  }
}
