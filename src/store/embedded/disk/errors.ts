import { statfsSync } from 'node:fs'

/** The data folder cannot be used as it is; the message says why and what to do. */
export class DataFolderError extends Error {
  override readonly name = 'DataFolderError'
}

/** Another process holds the data folder. */
export class DataFolderInUse extends DataFolderError {}

/** Corruption: stored bytes differ from the written ones. */
export class DamagedData extends Error {
  override readonly name = 'DamagedData'
  /** The problem, for a report that names its check: `the column latency is damaged`. */
  readonly finding: string | null

  constructor(message: string, finding: string | null = null) {
    super(message)
    this.finding = finding
  }
}

/** The database itself is damaged. */
export class DamagedFolder extends DataFolderError {}

export function damagedFolder(directory: string, how: string): DamagedFolder {
  return new DamagedFolder(`The database in ${directory} is damaged (${how}). Run: tidemark doctor --data ${directory}`)
}

const damageCodes = new Set([11, 26])

/** Messages of SQLite for a damaged file, and of its driver for a damaged number; not all of these errors have a code. */
const saysDamage = /database disk image is malformed|file is not a database|too large to be represented as a JavaScript number/

/**
 * Whether an error means damaged data or a file that is not a database. Also recognizes errors from other threads, which have lost their
 * class.
 */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return error.name === 'DamagedData' || damageCodes.has(codeOf(error) ?? 0) || saysDamage.test(error.message)
}

/** The damage, as a clause. */
export function damageText(error: unknown): string {
  return error instanceof Error ? error.message.replace('. Run: tidemark doctor', '') : String(error)
}

const codeOf = (error: unknown) => (error as { sqliteCode?: number }).sqliteCode

/** Whether another connection holds the lock. */
export function isLocked(error: unknown): boolean {
  return codeOf(error) === 5
}

/** The error for a folder that cannot be written, with the reason from SQLite. */
export function unwritableFolder(directory: string, error: unknown): DataFolderError {
  if (codeOf(error) === 13 || isFull(directory))
    return new DataFolderError(`The disk of ${directory} is full. Free some space, and start again.`)
  const reason = error instanceof Error ? error.message : String(error)
  return new DataFolderError(`The data folder ${directory} cannot be written (${reason}). Check its disk, its owner and its mode.`)
}

/** On a full disk, SQLite reports an I/O error if it cannot extend its shared memory. */
function isFull(directory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(directory)
    return bavail * bsize < fewBytes
  } catch {
    return false
  }
}
const fewBytes = 64 * 1024

const cannotWrite = /database or disk is full|disk I\/O error|readonly database|unable to open database file|database is locked/

/** Whether an error, possibly from another thread, means that nothing can be written at present. */
export function isUnwritable(problem: unknown): problem is Error {
  return problem instanceof Error && cannotWrite.test(problem.message)
}
