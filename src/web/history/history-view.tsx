import { CursorPager } from '../alerts/cursor-pager.tsx'
import type { AuditEntry, Versions } from '../api/answers.ts'
import { useCheck } from '../api/use-check.ts'
import { type Resource, settled, useResource } from '../api/use-resource.ts'
import { useMayWrite } from '../api/use-scope.ts'
import { type Route, RouteLink, upTo } from '../state/route.tsx'
import { Notice, ProblemNotice, Skeleton } from '../view/notice.tsx'
import { Time } from '../view/time.tsx'
import { useTitle } from '../view/use-title.ts'
import { actionWord } from './change-lines.ts'
import { FieldChanges } from './field-changes.tsx'
import { Restore } from './restore.tsx'

/** The versions of a managed check, with author, time and changes. */
export function HistoryView({ id, route }: { readonly id: string; readonly route: Route }) {
  const check = useCheck(id)
  const name = check.data?.name ?? id
  useTitle('History', name)
  const cursor = route.query.get('cursor')
  const page = useVersions(id, cursor)
  const mayWrite = useMayWrite()
  if (page.data === undefined && page.problem !== undefined) return <ProblemNotice whole of={page} />
  if (page.data === undefined || mayWrite === undefined || !settled(check)) return <Skeleton lines={6} height={72} />
  const { versions, pagination } = page.data
  return (
    <>
      <div class="view-head">
        <nav aria-label="Up">
          <RouteLink href="/">Checks</RouteLink> <span aria-hidden="true">/</span>{' '}
          <RouteLink href={upTo(`/checks/${id}`, route)}>{name}</RouteLink>
        </nav>
        <h1>History of {name}</h1>
      </div>
      <ProblemNotice of={page} />
      {versions.length === 0 && (
        <Notice
          title={
            cursor === null ? 'This check is defined in the config file: see the history of the file.' : 'There are no older versions.'
          }
        />
      )}
      <ol class="versions">
        {versions.map((entry, index) => (
          <Version key={entry.version} id={id} entry={entry} isNewest={cursor === null && index === 0} mayWrite={mayWrite} />
        ))}
      </ol>
      <CursorPager route={route} param="cursor" of="versions" next={pagination.next} />
    </>
  )
}

function useVersions(id: string, cursor: string | null): Resource<Versions> {
  const path = `/v1/checks/${encodeURIComponent(id)}/versions${cursor === null ? '' : `?cursor=${encodeURIComponent(cursor)}`}`
  return useResource(path, async (api, signal) => (await api.request<Versions>({ path }, signal)).data)
}

type VersionProps = { readonly id: string; readonly entry: AuditEntry; readonly isNewest: boolean; readonly mayWrite: boolean }

function Version({ id, entry, isNewest, mayWrite }: VersionProps) {
  const { version, action, by, at, changes } = entry
  return (
    <li class="panel">
      <header>
        <h2>Version {version}</h2>
        <span class="note">
          {actionWord(entry)} by {by.name}, <Time at={Date.parse(at)} zone />
        </span>
      </header>
      {action !== 'delete' && <FieldChanges changes={changes} />}
      {mayWrite && isNewest && action !== 'create' && <Restore id={id} version={version - 1} isUndo />}
      {mayWrite && !isNewest && action !== 'delete' && <Restore id={id} version={version} isUndo={false} />}
    </li>
  )
}
