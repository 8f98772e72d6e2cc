import { mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Makes a folder and those above it, where they are missing. Node's own way never ends where a file system lets nobody make any, as /proc. */
export function makeFolder(folder: string): void {
  const place = resolve(folder)
  if (isFolder(place)) return
  if (dirname(place) !== place) makeFolder(dirname(place))
  try {
    mkdirSync(place)
  } catch (error) {
    if (!isFolder(place)) throw error
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
