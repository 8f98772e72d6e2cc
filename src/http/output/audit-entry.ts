import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { ManagedChecks } from '../../managed/managed-checks.ts'
import { checkKind } from '../../managed/managed-document.ts'
import type { RecordQuery, VersionRecord } from '../../store/documents/document-log.ts'
import { isoText } from '../../time.ts'
import { documentCursor } from '../input/cursor.ts'

type Sources = { readonly catalogue: Catalogue; readonly managed: Pick<ManagedChecks, 'records'> }

/** How many writes one request scans, in total and per read. */
const maxScanned = 1000
const scannedAtOnce = 100

/** A page of writes, newest first. If few of the scanned writes fit, the page is short, and `next` continues the scan. */
export async function auditPage(
  { catalogue, managed: { records } }: Sources,
  query: RecordQuery,
  fits: ((record: VersionRecord) => boolean) | null = null,
) {
  const { limit } = query
  const perRead = fits === null ? limit + 1 : scannedAtOnce
  const found: VersionRecord[] = []
  let [last, scanned, isEnd] = [query.before, 0, false]
  while (found.length <= limit && scanned < maxScanned && !isEnd) {
    const some = await records({ ...query, before: last, limit: perRead })
    found.push(...(fits === null ? some : some.filter(fits)))
    last = some.at(-1) ?? last
    scanned += some.length
    isEnd = some.length < perRead
  }
  const page = found.slice(0, limit)
  const place = found.length > limit ? page.at(-1) : isEnd ? null : last
  return {
    entries: page.map((record) => auditEntry(record, catalogue)),
    pagination: { limit, next: place ? documentCursor.encode(place) : null },
  }
}

function auditEntry({ at, kind, account, id, version, action, keyId, keyName, changes }: VersionRecord, catalogue: Catalogue) {
  const name = kind === checkKind ? (catalogue.check(account, id)?.name ?? null) : null
  return { at: isoText(at), kind, id, name, version, action, by: { id: keyId, name: keyName }, changes: JSON.parse(changes) }
}
