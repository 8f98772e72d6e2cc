import { randomInt } from 'node:crypto'
import { access, constants, type FileHandle, open, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfigText } from '../catalogue/config-file/config-text.ts'
import { tryLock } from '../store/embedded/disk/lock.ts'
import { CommandFailure } from './context.ts'

/** How long a command waits for the lock. */
const waitMs = 10_000
/** Retries for changes by programs that ignore the lock, such as editors. */
const maxTries = 5

/**
 * Changes the config file atomically: readers see either the old text or the new text. Concurrent processes take turns, each starting from
 * the text that the previous one wrote. `change` may be called several times, so it must depend only on its argument. Keeps mode, owner,
 * symlink and byte order mark.
 */
export async function changeFile(file: string, change: (text: string) => string): Promise<void> {
  await readConfigText(file)
  const path = await realpath(file)
  const unlock = await takeLock(path)
  try {
    for (const leftover of await temporaryFiles(path)) await rm(leftover, { force: true })
    for (let tries = 0; tries < maxTries; tries++) if (await changeOnce(path, change)) return
    throw new CommandFailure(`${file} is being changed by another program. Nothing was written. Try again later.`)
  } finally {
    unlock()
  }
}

/** Writes a file atomically and durably. */
export async function replaceFile(file: string, text: string, mode: number): Promise<void> {
  await replace(file, async (temporary) => {
    await temporary.chmod(mode)
    await temporary.writeFile(text)
    return true
  })
}

/** Some editors begin a file with it; it is not part of the text. */
const byteOrderMark = '\ufeff'

/** Returns false if the file changed between reading and replacing it. */
async function changeOnce(path: string, change: (text: string) => string): Promise<boolean> {
  return replace(path, async (temporary) => {
    const text = await readConfigText(path)
    const mark = (await readFile(path, 'utf8')).startsWith(byteOrderMark) ? byteOrderMark : ''
    const { mode, uid, gid } = await stat(path)
    await temporary.writeFile(mark + change(text))
    await keepOwner(temporary, path, { uid, gid })
    await temporary.chmod(mode & 0o777)
    return (await readFile(path, 'utf8')) === mark + text
  })
}

/**
 * Replaces a file with a temporary one if `write` returns true. The name of the temporary file contains the process id, and the file exists
 * for the whole call, so a waiting process can name the lock holder. The name starts with a dot so that `include` patterns skip it.
 */
async function replace(file: string, write: (temporary: FileHandle) => Promise<boolean>): Promise<boolean> {
  const temporary = join(dirname(file), `.${basename(file)}.${process.pid}.tmp`)
  const handle = await open(temporary, 'wx', 0o600)
  try {
    const isWanted = await synced(handle, write)
    if (isWanted) await rename(temporary, file)
    if (isWanted) await syncFolder(dirname(file))
    return isWanted
  } catch (error) {
    // Errors of a file handle do not contain the path.
    throw error instanceof Error && 'syscall' in error ? Object.assign(error, { path: file }) : error
  } finally {
    await rm(temporary, { force: true })
  }
}

async function synced(temporary: FileHandle, write: (temporary: FileHandle) => Promise<boolean>): Promise<boolean> {
  try {
    const isWanted = await write(temporary)
    await temporary.sync()
    return isWanted
  } finally {
    await temporary.close()
  }
}

async function keepOwner(temporary: FileHandle, path: string, { uid, gid }: { readonly uid: number; readonly gid: number }): Promise<void> {
  const own = await temporary.stat()
  if (own.uid === uid && own.gid === gid) return
  await temporary.chown(uid, gid).catch(() => {
    throw new CommandFailure(`${path} belongs to another user or group (${uid}:${gid}). Run this as its owner.`)
  })
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Locks a file next to the config file. The lock file is never removed: otherwise two processes could lock two files of the same name. */
async function takeLock(path: string): Promise<() => void> {
  const lockFile = join(dirname(path), `.${basename(path)}.lock`)
  await makeLockFile(lockFile, path)
  await access(lockFile, constants.W_OK)
  const deadline = performance.now() + waitMs
  while (performance.now() < deadline) {
    const unlock = tryLock(lockFile)
    if (unlock) return unlock
    await sleep(randomInt(10, 40))
  }
  const [holder] = await temporaryFiles(path)
  const who = holder === undefined ? 'another process' : `process ${holder.split('.').at(-2)}`
  throw new CommandFailure(`${path} has been locked for ${waitMs / 1000} s by ${who}. Stop it, or try again later.`)
}

/**
 * Creates a lock file with the permissions of the config file. An existing file is not opened: closing it would release a lock of this
 * process.
 */
async function makeLockFile(lockFile: string, path: string): Promise<void> {
  const { mode, uid, gid } = await stat(path)
  const made = await open(lockFile, 'wx', mode & 0o666).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return null
    throw error
  })
  await made?.chown(uid, gid).catch(() => {})
  await made?.chmod(mode & 0o666)
  await made?.close()
}

/** Temporary files of lock holders, including killed ones. */
async function temporaryFiles(path: string): Promise<readonly string[]> {
  const start = `.${basename(path)}.`
  const names = await readdir(dirname(path))
  return names
    .filter((name) => name.startsWith(start) && /^\d+\.tmp$/.test(name.slice(start.length)))
    .map((name) => join(dirname(path), name))
}
