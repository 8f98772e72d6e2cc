import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { StoreUnavailable } from '../../store.ts'
import { DataFolderError, damagedFolder, damageText, isDamage, isUnwritable } from '../disk/errors.ts'

/** `Retry-After` for callers that send results again. */
export const retryAfterMs = 30_000

/** Rethrows a write failure; as `StoreUnavailable`, which callers may retry, if nothing can be written at present. */
export async function rethrowUnwritable(problem: unknown, directory: string): Promise<never> {
  if (!isUnwritable(problem)) throw isDamage(problem) ? damagedFolder(directory, damageText(problem)) : asDataFolderError(problem)
  const why = await whyUnwritable(directory, problem)
  const publicReason = `Tidemark cannot store results: ${why}.`
  throw new StoreUnavailable(`Nothing can be stored in ${directory}: ${why} (${problem.message}).`, retryAfterMs / 1000, { publicReason })
}

/** Restores the class, which an error loses between threads. */
function asDataFolderError(problem: unknown): unknown {
  return problem instanceof Error && problem.name === 'DataFolderError' ? new DataFolderError(problem.message, { cause: problem }) : problem
}

/** Reasons by system error code, as clauses. */
const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is exceeded',
  EFBIG: 'a file has reached the largest size that this process may write',
  EROFS: 'the file system is read-only',
  EACCES: 'this user may not write to the data folder',
  EPERM: 'this user may not write to the data folder',
  EIO: 'the disk fails to write (I/O error)',
  ENOENT: 'the data folder no longer exists',
  EMFILE: 'this process has too many open files',
  ENFILE: 'this machine has too many open files',
}

/** More than a file system may still have left when SQLite finds it full. */
const probeBytes = 64 * 1024

/**
 * Why nothing can be written to a folder, as a clause. SQLite distinguishes few system errors, so a small file is written to get the error
 * code.
 */
async function whyUnwritable(directory: string, problem: Error): Promise<string> {
  if (/disk is full/.test(problem.message)) return reasons.ENOSPC ?? problem.message
  const code = await writeProbe(directory)
  return reasons[code ?? ''] ?? (/I\/O/.test(problem.message) ? reasons.EIO : undefined) ?? problem.message
}

/** Writes a small file; returns the error code, or null on success. */
async function writeProbe(directory: string): Promise<string | null> {
  const file = join(directory, `probe-${process.pid}`)
  try {
    const handle = await open(file, 'w', 0o600)
    try {
      await handle.writeFile(Buffer.alloc(probeBytes))
      await handle.sync()
    } finally {
      await handle.close()
    }
    return null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? null
  } finally {
    await rm(file, { force: true }).catch(() => {})
  }
}
