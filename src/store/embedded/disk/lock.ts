import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { DataFolderInUse, isLocked, unwritableFolder } from './errors.ts'
import { makePrivateFile, makePrivateFolder } from './private-files.ts'

/** Holds the data folder for this process until the returned function is called; the system releases it when the process dies. */
export function lock(directory: string): () => void {
  makePrivateFolder(directory)
  const file = join(directory, 'lock')
  makePrivateFile(file)
  const holder = new DatabaseSync(file)
  try {
    holder.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    holder.close()
    if (!isLocked(error)) throw unwritableFolder(directory, error)
    throw new DataFolderInUse(
      `Another Tidemark is using the data folder ${directory}. Stop it first, or choose another folder with --data.`,
    )
  }
  return () => holder.close()
}
