import { existsSync } from 'node:fs'
import { databaseFile } from '../store/embedded/disk/database.ts'
import { DataFolderError, DataFolderInUse } from '../store/embedded/disk/errors.ts'
import { type OpenStore, openStore, type StoreOptions } from '../store/open.ts'
import { CommandFailure } from './context.ts'

/** The store of a folder that no server uses, for a command that does one thing with it. */
export async function openDataFolder(directory: string, options: Omit<StoreOptions, 'directory' | 'workers'>): Promise<OpenStore> {
  return openStore({ ...options, directory, workers: 0 }).catch((error: unknown) => {
    if (error instanceof DataFolderInUse) throw new CommandFailure(`${error.message} Or give this to the running one, with --url.`)
    return tell(error)
  })
}

/** Refuses a folder that holds no results, so that a wrong path is not taken for an empty one. */
export function demandData(directory: string): void {
  if (!existsSync(databaseFile(directory)))
    throw new CommandFailure(`There are no results in ${directory}. Name the data folder with --data.`)
}

export function tell(error: unknown): never {
  const { code, syscall, path } = error as NodeJS.ErrnoException
  if (syscall === 'mkdir') throw new CommandFailure(`The folder ${path} cannot be made (${code}).`, 2)
  throw error instanceof DataFolderError ? new CommandFailure(error.message) : error
}
