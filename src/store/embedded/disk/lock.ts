import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { makeFolder } from '../../../make-folder.ts'
import { DataFolderInUse } from './errors.ts'

/** Holds the data folder for this process until the returned function is called; the system releases it when the process dies. */
export function lock(directory: string): () => void {
  makeFolder(directory)
  const holder = new DatabaseSync(join(directory, 'lock'))
  try {
    holder.exec('BEGIN EXCLUSIVE')
  } catch {
    holder.close()
    throw new DataFolderInUse(
      `Another Tidemark is using the data folder ${directory}. Stop it first, or choose another folder with --data.`,
    )
  }
  return () => holder.close()
}
