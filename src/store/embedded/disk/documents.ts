import {
  type DocumentRef,
  type LoggedVersion,
  type LogPlace,
  maxPageCharacters,
  type RecordQuery,
  type VersionRecord,
} from '../../documents/document-log.ts'
import { checksum, type Database, verify } from './sqlite.ts'

/** Limit of versions dropped in one transaction. */
const maxPerDrop = 500

type Columns = VersionRecord & { readonly body: string | null; readonly crc: number }

const record = 'position, ordinal, kind, account, id, version, at, keyId, keyName, action, changes'

/** Reads documents; every body is verified. */
export function openDocumentReader(database: Database) {
  const after = database.prepare(
    `SELECT ${record}, body, crc FROM document WHERE (position, ordinal) > (?, ?) ORDER BY position, ordinal LIMIT ?`,
  )
  const heads = database.prepare(
    `SELECT ${record}, body, crc FROM document WHERE isHead = 1 AND (position, ordinal) > (?, ?) ORDER BY position, ordinal LIMIT ?`,
  )
  const one = database.prepare(`SELECT ${record}, body, crc FROM document WHERE account = ? AND kind = ? AND id = ? AND version = ?`)
  const ofAccount = database.prepare(
    `SELECT ${record} FROM document INDEXED BY document_account WHERE account = :account AND (position, ordinal) < (:position, :ordinal)
     AND (:kind IS NULL OR kind = :kind) ORDER BY position DESC, ordinal DESC LIMIT :limit`,
  )
  const ofDocument = database.prepare(
    `SELECT ${record} FROM document WHERE account = :account AND kind = :kind AND id = :id AND (position, ordinal) < (:position, :ordinal)
     ORDER BY version DESC LIMIT :limit`,
  )
  return {
    after: ({ position, ordinal }: LogPlace, limit: number) => pageOf(after.iterate(position, ordinal, limit)),
    heads: ({ position, ordinal }: LogPlace, limit: number) => pageOf(heads.iterate(position, ordinal, limit)),
    version({ account, kind, id }: DocumentRef, version: number): LoggedVersion | null {
      const found = one.get(account, kind, id, version) as Columns | undefined
      return found === undefined ? null : verified(found)
    },
    records({ account, kind, id, before, limit }: RecordQuery): readonly VersionRecord[] {
      const { position, ordinal } = before ?? { position: Number.MAX_SAFE_INTEGER, ordinal: 0 }
      if (kind !== null && id !== null) return ofDocument.all({ account, kind, id, position, ordinal, limit }) as VersionRecord[]
      return ofAccount.all({ account, kind, position, ordinal, limit }) as VersionRecord[]
    },
  }
}

function pageOf(rows: Iterable<unknown>): readonly LoggedVersion[] {
  const page: LoggedVersion[] = []
  let left = maxPageCharacters
  for (const row of rows) {
    const version = verified(row as Columns)
    page.push(version)
    left -= lengthOf(version)
    if (left <= 0) break
  }
  return page
}

const lengthOf = ({ body, changes }: LoggedVersion) => (body?.length ?? 0) + changes.length

export function openDocumentWriter(database: Database) {
  const last = database.prepare('SELECT max(position) AS position FROM document')
  const supersede = database.prepare('UPDATE document SET isHead = 0 WHERE account = ? AND kind = ? AND id = ? AND isHead = 1')
  const insert = database.prepare(`INSERT INTO document (${record}, body, isHead, crc) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)`)
  const accounts = database.prepare('SELECT DISTINCT account FROM document')
  const oldest = database.prepare(
    'SELECT position FROM document INDEXED BY document_account WHERE account = ? ORDER BY position DESC, ordinal DESC LIMIT 1 OFFSET ?',
  )
  /**
   * The last position stays, so that it is never reused. Oldest versions go first: the last version of a deleted document goes only after
   * all its others, so that no version number is reused.
   */
  const drop = database.prepare(
    `DELETE FROM document WHERE rowid IN (SELECT rowid FROM document INDEXED BY document_account WHERE account = ? AND position < ?
     AND (isHead = 0 OR body IS NULL) AND (at < ? OR position <= ?) ORDER BY position, ordinal LIMIT ${maxPerDrop})`,
  )
  const lastPosition = (): number => last.get().position ?? 0
  return {
    /** False if the position is already taken. */
    append(versions: readonly LoggedVersion[]): boolean {
      if (versions[0]?.position !== lastPosition() + 1) return false
      for (const version of versions) {
        const { position, ordinal, kind, account, id, version: number, at, keyId, keyName, action, changes, body } = version
        supersede.run(account, kind, id)
        insert.run(position, ordinal, kind, account, id, number, at, keyId, keyName, action, changes, body, crcOf(version))
      }
      return true
    },
    /** Drops some versions; false if there was nothing to drop. */
    dropSome(before: number, maxPerAccount: number): boolean {
      const end = lastPosition()
      return (accounts.all() as { account: string }[]).some(({ account }) => {
        const tooOld: number = oldest.get(account, maxPerAccount)?.position ?? 0
        return drop.run(account, end, before, tooOld).changes > 0
      })
    },
  }
}

export function verifyDocuments(database: Database): void {
  for (const row of database.prepare(`SELECT ${record}, body, crc FROM document`).iterate()) verified(row as Columns)
}

function crcOf({ position, ordinal, kind, account, id, version, at, keyId, keyName, action, changes, body }: LoggedVersion): number {
  const key = JSON.stringify([position, ordinal, kind, account, id, version, at, keyId, keyName, action, changes])
  return checksum(key, body ?? '')
}

function verified({ crc, ...version }: Columns): LoggedVersion {
  if (crcOf(version) === crc) return version
  const { kind, account, id, version: number } = version
  const finding = `version ${number} of the ${kind} ${id} of ${account} is damaged`
  verify({ key: `document ${finding}`, finding }, version.body ?? '', crc)
  return version
}
