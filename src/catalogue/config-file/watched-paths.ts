import { type BigIntStats, readdirSync, statSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'

/** A file, or the names in a folder that match a pattern, and its state when it was read. */
export type WatchedPath = { readonly path: string; readonly pattern: string | null; readonly state: string }

export function watchedFile(path: string): WatchedPath {
  return { path, pattern: null, state: stateOf(statsOf(path)) }
}

export function watchedFolder(path: string, pattern: string): WatchedPath {
  return { path, pattern, state: namesState(entriesOf(path), pattern) }
}

/** The state of the file, or of the names in the folder, now. */
export async function currentState({ path, pattern }: WatchedPath): Promise<string> {
  return pattern === null
    ? stateOf(await stat(path, { bigint: true }).catch(() => undefined))
    : namesState(await readdir(path).catch(() => []), pattern)
}

export async function isUnchanged(watched: WatchedPath): Promise<boolean> {
  return (await currentState(watched)) === watched.state
}

/** Matches names against a pattern with `*`. Names that start with a dot never match, because editors use them for copies. */
export function matcherOf(pattern: string): (name: string) => boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return (name) => name === pattern
  return (name) => {
    if (name.startsWith('.') || !name.startsWith(first)) return false
    let at = first.length
    // The leftmost match of each part leaves the most room for the others.
    for (const part of rest) {
      const found = name.indexOf(part, at)
      if (found < 0) return false
      at = found + part.length
    }
    return name.length - last.length >= at && name.endsWith(last)
  }
}

/** Undefined if it is missing, below a file, or inaccessible. Reading the file reports the reason. */
function statsOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true })
  } catch {
    return undefined
  }
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const namesState = (names: readonly string[], pattern: string) => JSON.stringify(names.filter(matcherOf(pattern)).sort())

/** Includes `ctime`, because a change of permissions may make a file readable. */
function stateOf(stats: BigIntStats | undefined): string {
  return stats ? [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(':') : 'gone'
}
