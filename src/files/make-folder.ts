import { mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Creates a folder and its missing parents. Node's recursive mkdir loops forever on file systems that reject it, such as /proc. */
export function makeFolder(folder: string): void {
  const path = resolve(folder)
  if (isFolder(path)) return
  if (dirname(path) !== path) makeFolder(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    if (!isFolder(path)) throw error
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
