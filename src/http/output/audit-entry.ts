import type { ManagedChecks } from '../../managed/managed-checks.ts'
import type { RecordQuery, VersionRecord } from '../../store/documents/document-log.ts'
import { isoText } from '../../time.ts'
import { documentCursor } from '../input/cursor.ts'

/** A page of writes, the newest first. */
export async function auditPage({ records }: Pick<ManagedChecks, 'records'>, query: RecordQuery) {
  const { limit } = query
  const found = await records({ ...query, limit: limit + 1 })
  const page = found.slice(0, limit)
  const last = page.at(-1)
  const next = found.length > limit && last ? documentCursor.encode(last) : null
  return { entries: page.map(auditEntry), pagination: { limit, next } }
}

function auditEntry({ at, kind, id, version, action, keyId, keyName, changes }: VersionRecord) {
  return { at: isoText(at), kind, id, version, action, by: { id: keyId, name: keyName }, changes: JSON.parse(changes) }
}
