import { existsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { databaseFile, openForReading } from './database.ts'
import { DataFolderError } from './errors.ts'
import { makePrivateFile, makePrivateFolder } from './private-files.ts'
import type { Database } from './sqlite.ts'

/** Copies all results into a new data folder, from one snapshot, even while a server is writing. The copy is complete or does not exist. */
export async function backUp(directory: string, destination: string): Promise<void> {
  const target = databaseFile(destination)
  if (existsSync(target)) throw new DataFolderError(`${destination} already has a copy. Choose another folder.`)
  makePrivateFolder(destination)
  await copyDatabase(openForReading(directory), target)
  await sync(destination)
}

/** Copies a snapshot of an open database, and closes it. The copy is complete or does not exist. */
export async function copyDatabase(database: Pick<Database, 'prepare' | 'close'>, target: string): Promise<void> {
  const draft = `${target}.partial`
  await rm(draft, { force: true })
  makePrivateFile(draft)
  try {
    database.prepare('VACUUM INTO ?').run(draft)
  } finally {
    database.close()
  }
  await sync(draft)
  await rename(draft, target)
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  await handle.sync().finally(() => handle.close())
}
