import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { DataFolderInUse, isLocked, unwritableFolder } from './errors.ts'
import { makePrivateFile, makePrivateFolder } from './private-files.ts'

/** Holds the data folder for this process until the returned function is called. */
export function lock(directory: string): () => void {
  makePrivateFolder(directory)
  const file = join(directory, 'lock')
  makePrivateFile(file)
  const unlock = tryLock(file, (error) => unwritableFolder(directory, error))
  if (unlock) return unlock
  throw new DataFolderInUse(`Another Tidemark is using the data folder ${directory}. Stop it first, or choose another folder with --data.`)
}

/** Locks an existing empty file until the returned function is called, or the process dies; null if another process holds it. */
export function tryLock(file: string, explain = (error: unknown) => error): (() => void) | null {
  const holder = new DatabaseSync(file)
  try {
    // Without a journal file, nothing is written: even a full disk can be locked, and a killed process leaves nothing behind.
    holder.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (error) {
    holder.close()
    if (isLocked(error)) return null
    throw explain(error)
  }
  return () => holder.close()
}
