import type { ResourceChange } from '../../catalogue/managed/resources.ts'
import type { OpenCatalogue } from '../../catalogue/open.ts'
import type { LoggedVersion } from '../../store/documents/document-log.ts'
import type { Documents } from '../../store/documents/documents.ts'
import { checkKind, readDocument } from '../managed-document.ts'

/** Syncs the resources of the catalogue with the documents: own writes before they are acknowledged, writes of other processes soon after. */
export function activateResources(documents: Documents, opened: Pick<OpenCatalogue, 'applyResources'>): () => void {
  const apply = (versions: readonly LoggedVersion[]) => {
    const changes = versions.filter(({ kind }) => kind !== checkKind).map(resourceChange)
    if (changes.length > 0) opened.applyResources(changes)
  }
  apply(documents.heads())
  return documents.onWritten(apply)
}

type StoredResource = Pick<LoggedVersion, 'kind' | 'account' | 'id' | 'version' | 'at' | 'body'>

export function resourceChange({ kind, account, id, version, at, body }: StoredResource): ResourceChange {
  if (body === null) return { kind, account, id, resource: null }
  const { definition, createdAt } = readDocument(body)
  if (Object.keys(definition).length === 0) return { kind, account, id, resource: null }
  return { kind, account, id, resource: { kind, account, id, version, definition, createdAt, updatedAt: at } }
}
