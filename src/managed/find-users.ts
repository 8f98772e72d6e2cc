import { groupKind } from '../catalogue/managed/check-group.ts'
import type { Resources } from '../catalogue/managed/resources.ts'
import { createTimedTurns } from '../concurrency/turns.ts'
import type { DocumentRef, LoggedVersion } from '../store/documents/document-log.ts'
import type { Documents } from '../store/documents/documents.ts'
import { checkKind } from './managed-document.ts'
import { isThere } from './writing.ts'

type UsersContext = { readonly documents: Pick<Documents, 'heads'>; readonly resources: Resources }

/** The newest versions of checks that may refer to these groups and variables, also of faulty ones. */
export async function findUsers(referred: readonly DocumentRef[], { documents, resources }: UsersContext) {
  const texts = new Map(
    [...new Set(referred.map(({ account }) => account))].map((account) => [account, textsOf(account, referred, resources)]),
  )
  const found: (LoggedVersion & { readonly body: string })[] = []
  const pause = createTimedTurns()
  for (const head of documents.heads()) {
    if (head.kind !== checkKind || !isThere(head)) continue
    if (texts.get(head.account)?.some((text) => head.body.includes(text))) found.push(head)
    const next = pause()
    if (next) await next
  }
  return found
}

/** Search texts: every document that refers to them contains one. A variable may also be used by a group. */
function textsOf(account: string, referred: readonly DocumentRef[], resources: Resources): readonly string[] {
  const own = referred.filter((one) => one.account === account)
  const names = own.flatMap(({ kind, id }) => (kind === groupKind ? [] : [id]))
  // As a reference: a name such as `e` alone is in every text.
  const references = names.flatMap((name) => [`\${${name}}`, `\${${name}:`])
  const groups = own.flatMap(({ kind, id }) => (kind === groupKind ? [id] : []))
  const using =
    names.length === 0
      ? []
      : resources.list(groupKind, account).filter(({ definition }) => {
          const text = JSON.stringify(definition)
          return references.some((reference) => text.includes(reference))
        })
  return [...references, ...[...groups, ...using.map(({ id }) => id)].flatMap((id) => [`"groupId":${id},`, `"groupId":${id}}`])]
}
