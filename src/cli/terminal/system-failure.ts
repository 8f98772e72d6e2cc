import { limitAdvice } from '../../files/open-files.ts'
import { damageText, isDamage } from '../../store/embedded/disk/errors.ts'
import { StoreUnavailable } from '../../store/store.ts'
import { CommandFailure } from '../context.ts'

/** Describes an error of the operating system or of SQLite, or damaged data. Null for any other error, which is a bug. */
export function systemFailure(error: unknown): CommandFailure | null {
  if (!(error instanceof Error)) return null
  if (error instanceof StoreUnavailable) return new CommandFailure(error.message)
  if (isDamage(error)) return new CommandFailure(`The stored data is damaged (${damageText(error)}). Run: tidemark doctor`)
  const { code, syscall, path, dest, sqliteCode } = error as NodeJS.ErrnoException & { dest?: string; sqliteCode?: number }
  if (sqliteCode !== undefined)
    return new CommandFailure(
      `The database cannot be used (${error.message}). ${sqliteAdvice[sqliteCode] ?? 'Check the disk, the owner and the mode of the folder.'}`,
    )
  if (code === undefined || syscall === undefined) return null
  if (code === 'EMFILE') return new CommandFailure(`${path ?? 'A file'} cannot be opened (EMFILE, ${syscall}). ${limitAdvice(code)}`)
  const what = dest ?? path ?? 'A file or connection'
  return new CommandFailure(
    `${what} cannot be used (${code}, ${syscall}). ${advice[code] ?? (limitAdvice(code) || 'Fix this, and try again.')}`,
  )
}

const advice: Readonly<Record<string, string>> = {
  EACCES: 'Permission denied: check the owner and the mode of the file and its folder.',
  EBUSY: 'It is a mount point or in use, such as a single file mounted into a container. Mount its folder instead.',
  EDQUOT: 'The disk quota is exceeded: free some space, and try again.',
  EIO: 'The disk fails: check its health and the system log.',
  ENFILE: 'This machine has too many open files: stop a process, or raise fs.file-max.',
  ENOSPC: 'The disk is full: free some space, and try again.',
  ENOENT: 'There is no such file or folder.',
  ENOTDIR: 'A part of its path is not a folder.',
  EISDIR: 'It is a folder.',
  EPERM: 'Permission denied: check the owner and the mode of the file and its folder.',
  EROFS: 'The file system is read-only.',
  EXDEV: 'It is on another file system.',
}

/** By SQLite result code. */
const sqliteAdvice: Readonly<Record<number, string>> = {
  8: advice.EROFS ?? '',
  13: advice.ENOSPC ?? '',
  14: advice.EACCES ?? '',
}
