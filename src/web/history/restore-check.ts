import { versionTag } from '../../text/version-tag.ts'
import type { AuditEntry, Versions } from '../api/answers.ts'
import { type Api, Problem } from '../api/client.ts'

export const restorePath = (id: string) => `/v1/checks/${encodeURIComponent(id)}/restore`

/** The newest version of a check; a deletion is one as well. */
export async function newestVersion(api: Api, id: string, signal: AbortSignal): Promise<AuditEntry | undefined> {
  const path = `/v1/checks/${encodeURIComponent(id)}/versions?limit=1`
  return (await api.request<Versions>({ path }, signal)).data.versions[0]
}

/** Undoes the deletion of a check. Does nothing if it was restored meanwhile: the request would undo its last change instead. */
export async function restoreDeleted(api: Api, id: string, signal: AbortSignal): Promise<void> {
  const newest = await newestVersion(api, id, signal)
  if (newest?.action !== 'delete') return
  await api.request({ path: restorePath(id), body: {}, ifMatch: versionTag(newest.version) }, signal)
}

/**
 * Undoes the deletion of each check, also of those after one that cannot be restored. Fails with the first problem at the end, or at once
 * with one that all others would have.
 */
export async function restoreAllDeleted(api: Api, ids: readonly string[], signal: AbortSignal): Promise<void> {
  const problems: unknown[] = []
  for (const id of ids) {
    await restoreDeleted(api, id, signal).catch((problem: unknown) => {
      if (isGeneral(problem)) throw problem
      problems.push(problem)
    })
  }
  if (problems.length > 0) throw problems[0]
}

function isGeneral(problem: unknown): boolean {
  return problem instanceof Problem && (problem.isOffline || problem.isRefusal || problem.status === 429)
}
