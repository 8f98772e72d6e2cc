import { statSync } from 'node:fs'
import { databaseFile } from '../store/embedded/disk/database.ts'
import { DataFolderError, DataFolderInUse } from '../store/embedded/disk/errors.ts'
import { type OpenStore, openStore, type StoreOptions } from '../store/open.ts'
import { CommandFailure } from './context.ts'

/** Opens the store of a folder for a single command; fails if a server uses the folder. */
export async function openDataFolder(directory: string, options: Omit<StoreOptions, 'directory' | 'workers'>): Promise<OpenStore> {
  return openStore({ ...options, directory, workers: 0 }).catch((error: unknown) => {
    if (error instanceof DataFolderInUse) throw new CommandFailure(`${error.message} Or send this to the running server with --url.`)
    return failCommand(error)
  })
}

/** Fails for a folder without results: a wrong path must not look like an empty folder. */
export function requireData(directory: string): void {
  const found = statSync(databaseFile(directory), { throwIfNoEntry: false })
  if (!found) throw new CommandFailure(`No results in ${directory}. Set the data folder with --data.`)
}

export function failCommand(error: unknown): never {
  const { code, syscall, path } = error as NodeJS.ErrnoException
  if (syscall === 'mkdir') throw new CommandFailure(`The folder ${path} cannot be created (${code}).`, 2)
  throw error instanceof DataFolderError ? new CommandFailure(error.message) : error
}
