import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { matcherOf, type WatchedPath, watchedFile, watchedFolder } from './watched-paths.ts'

/** Reads files for `include` and `${file:…}` of a config file. Reads are synchronous. */
export type ConfigFolder = {
  /** The files that match a pattern of `include`, relative to the folder; throws `FileFault`. */
  matching(pattern: string): readonly string[]
  /** The text of a file to include; throws `FileFault`. */
  includedText(file: string): string
  /** The text of a file that `${file:…}` names, without a final line break; throws `FileFault`. */
  secretText(path: string, folders: readonly string[]): string
  /** All files and folders that were read, with their state before that. */
  watched(): readonly WatchedPath[]
}

/** A problem with a file, for the author of the file that refers to it. */
export class FileFault extends Error {
  override readonly name = 'FileFault'
}

export const maxIncludedFiles = 1000
const maxIncludedBytes = 32 * 1024 * 1024
const maxSecretFiles = 1000
const maxSecretBytes = 64 * 1024
const ofSecret = `a file of \${file:…}`
/** Where container runtimes and systemd put secrets. */
const secretFolders = ['/run/secrets', '/run/credentials']

export function openConfigFolder(folder: string): ConfigFolder {
  const root = realpathSync(folder)
  const watched: WatchedPath[] = []
  const files = new Set<string>()
  const secrets = new Map<string, string>()
  let includedBytes = 0

  const watchFile = (path: string) => void watched.push(watchedFile(path))
  const count = (names: readonly string[]) => {
    for (const name of names) files.add(name)
    if (files.size > maxIncludedFiles) throw new FileFault(`include matches more than ${number(maxIncludedFiles)} files`)
    return names
  }
  return {
    matching(pattern) {
      const path = resolve(root, pattern)
      if (!isWithin(root, path)) throw new FileFault(`${pattern} is not below the folder of this file`)
      if (dirname(pattern).includes('*')) throw new FileFault(`${pattern} may have * only in the name of the file, not of a folder`)
      if (!basename(pattern).includes('*')) return count([relative(root, path)])
      watched.push(watchedFolder(dirname(path), basename(pattern)))
      return count(namesIn(dirname(path), pattern).map((name) => relative(root, join(dirname(path), name))))
    },
    includedText(file) {
      watchFile(join(root, file))
      const text = readText(join(root, file), { roots: [root], maxBytes: maxIncludedBytes - includedBytes, what: 'included files' })
      includedBytes += Buffer.byteLength(text)
      return text
    },
    secretText(path, folders) {
      const known = secrets.get(path)
      if (known !== undefined) return known
      if (secrets.size >= maxSecretFiles) throw new FileFault(`\${file:…} refers to more than ${number(maxSecretFiles)} files`)
      watchFile(resolve(root, path))
      const roots = [root, ...[...secretFolders, ...folders].flatMap(realFolder)]
      const text = readText(resolve(root, path), { roots, maxBytes: maxSecretBytes, what: ofSecret }).replace(/\r?\n$/, '')
      secrets.set(path, text)
      return text
    },
    watched: () => watched,
  }
}

/** For texts without a place on disk. */
export const noFolder: ConfigFolder = {
  matching: () => [],
  includedText: notHere,
  secretText: notHere,
  watched: () => [],
}

function notHere(path: string): never {
  throw new FileFault(`${path} cannot be read here`)
}

function namesIn(folder: string, pattern: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter(matcherOf(basename(pattern)))
      .sort()
  } catch (error) {
    throw faultOf(error, `the folder ${dirname(pattern)}`)
  }
}

type Reading = { readonly roots: readonly string[]; readonly maxBytes: number; readonly what: string }

/** Opens the resolved path, so that a symlink that is swapped in after the check is not followed. Does not block on pipes or devices. */
function readText(path: string, { roots, maxBytes, what }: Reading): string {
  let descriptor: number | null = null
  try {
    const real = realpathSync(path)
    if (!roots.some((root) => isWithin(root, real))) throw new FileFault(outside(path, real, { roots, what }))
    descriptor = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) throw new FileFault(`${path} is not a file`)
    if (stats.size > maxBytes) throw new FileFault(tooLarge(path, what))
    return decoded(path, contents(descriptor, maxBytes) ?? fail(tooLarge(path, what)))
  } catch (error) {
    throw error instanceof FileFault ? error : faultOf(error, `the file ${path}`)
  } finally {
    if (descriptor !== null) closeSync(descriptor)
  }
}

/** Null if the file has grown beyond the limit. */
function contents(descriptor: number, maxBytes: number): Buffer | null {
  const buffer = Buffer.alloc(Math.min(maxBytes + 1, fstatSync(descriptor).size + 1024))
  let length = 0
  for (let read = 1; read > 0 && length < buffer.length; length += read)
    read = readSync(descriptor, buffer, length, buffer.length - length, null)
  return length === buffer.length ? null : buffer.subarray(0, length)
}

function decoded(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new FileFault(`the file ${path} is not UTF-8`)
  }
}

function outside(path: string, real: string, { roots, what }: Pick<Reading, 'roots' | 'what'>): string {
  const leads = real === path ? '' : `, because it links to ${real}`
  const advice = what === ofSecret ? '; secretFolders in the config file adds others' : ''
  return `reading ${path} is not allowed${leads}: it must be below ${roots.join(' or ')}${advice}`
}

const tooLarge = (path: string, what: string) => `${path} is too large: ${what} may have ${what === ofSecret ? '64 KiB' : '32 MiB in all'}`

/** Other errors, such as too many open files, are not faults of the file: the read is retried. */
function faultOf(error: unknown, what: string): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') return new FileFault(`${what} does not exist`)
  if (code === 'EACCES' || code === 'EPERM') return new FileFault(`${what} cannot be read by this user (${code})`)
  if (code === 'ELOOP' || code === 'ENAMETOOLONG' || code === 'EISDIR') return new FileFault(`${what} cannot be read (${code})`)
  return error
}

function realFolder(folder: string): readonly string[] {
  try {
    return [realpathSync(folder)]
  } catch {
    return []
  }
}

function isWithin(root: string, path: string): boolean {
  const rest = relative(root, path)
  return rest !== '' && rest !== '..' && !rest.startsWith(`..${sep}`) && !isAbsolute(rest)
}

function fail(message: string): never {
  throw new FileFault(message)
}

const number = (value: number) => value.toLocaleString('en-US')
