import type { DocumentLog } from '../documents/document-log.ts'
import { openForReading } from './disk/database.ts'
import { openDocumentReader } from './disk/documents.ts'
import type { Database } from './disk/sqlite.ts'
import type { Writer } from './write/writer.ts'

/** Writes run in the writer thread. */
type Write = {
  readonly append: (versions: Parameters<Writer['appendDocuments']>[0]) => Promise<boolean>
  readonly drop: (...args: Parameters<Writer['dropDocuments']>) => Promise<boolean>
}

/** The log of documents in a data folder. Reads run in this thread, since they return few rows. */
export function createDocumentLog(database: Database, { append, drop }: Write, isShared = false): DocumentLog {
  const reader = openDocumentReader(database)
  return {
    isShared,
    append,
    after: async (place, limit) => reader.after(place, limit),
    heads: async (after, limit) => reader.heads(after, limit),
    records: async (query) => reader.records(query),
    version: async (ref, version) => reader.version(ref, version),
    async expire(before, maxPerAccount) {
      while (await drop(before, maxPerAccount)) {}
    },
    close: async () => {},
  }
}

/** The current documents of a data folder. */
export function openFolderHeads(directory: string): Pick<DocumentLog, 'heads' | 'close'> {
  const database = openForReading(directory)
  const reader = openDocumentReader(database)
  return { heads: async (after, limit) => reader.heads(after, limit), close: async () => database.close() }
}
