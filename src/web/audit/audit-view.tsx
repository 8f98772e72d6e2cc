import { CursorPager } from '../alerts/cursor-pager.tsx'
import type { Audit, AuditEntry } from '../api/answers.ts'
import { settled, useResource } from '../api/use-resource.ts'
import { useMayWrite } from '../api/use-scope.ts'
import { actionWord, changeLines, checkName, fieldsText } from '../history/change-lines.ts'
import { FieldChanges } from '../history/field-changes.tsx'
import { navigate, type Route, RouteLink, withQuery } from '../state/route.tsx'
import { Select } from '../view/fields.tsx'
import { LongList } from '../view/long-list.tsx'
import { Notice, ProblemNotice, Skeleton } from '../view/notice.tsx'
import { Time } from '../view/time.tsx'
import { useTitle } from '../view/use-title.ts'

/** The log of changes over the API, with their authors. */
export function AuditView({ route }: { readonly route: Route }) {
  useTitle('Audit')
  const mayWrite = useMayWrite()
  const path = auditPath(route)
  const page = useResource(path, async (api, signal) => (await api.request<Audit>({ path }, signal)).data)
  const { data } = page
  if (mayWrite === undefined || !settled(page)) return <Skeleton lines={8} height={40} />
  return (
    <>
      <div class="view-head">
        <h1>Audit</h1>
        <span class="note">writes over the API in the last 400 days; changes to the config file are not included</span>
        {mayWrite && (
          <RouteLink class="quiet-button" href="/deleted">
            Deleted checks
          </RouteLink>
        )}
      </div>
      <AuditFilters route={route} entries={data?.entries ?? []} />
      <ProblemNotice of={page} />
      {data?.entries.length === 0 && <Notice title={emptyText(route, data.pagination.next)} />}
      {data !== undefined && data.entries.length > 0 && (
        <section class="panel" data-panel="audit">
          <LongList items={data.entries}>
            {(entry) => <AuditLine key={`${entry.kind} ${entry.id} ${entry.version}`} entry={entry} route={route} />}
          </LongList>
        </section>
      )}
      <CursorPager route={route} param="cursor" of="writes" next={data?.pagination.next ?? null} />
    </>
  )
}

const filters = ['checkId', 'action', 'keyId'] as const

function auditPath({ query }: Route): string {
  const params = [...filters, 'cursor'].flatMap((name) => (query.get(name) ? [[name, query.get(name) ?? '']] : []))
  return `/v1/audit?${new URLSearchParams([['limit', '50'], ...params])}`
}

/** A page scans a fixed number of writes, so a strict filter may leave one page empty and the next one not. */
function emptyText({ query }: Route, next: string | null): string {
  if (next !== null) return 'None of the last 1,000 writes match. Older ones may.'
  return filters.some((name) => query.get(name)) ? 'No writes match these filters.' : 'No writes over the API yet.'
}

const actions = [
  { value: '', label: 'All writes' },
  { value: 'create', label: 'Added' },
  { value: 'update', label: 'Changed' },
  { value: 'delete', label: 'Deleted' },
  { value: 'restore', label: 'Restored' },
]

/** Check and key filters are set by links in the table and only removed here. */
function AuditFilters({ route, entries }: { route: Route; entries: readonly AuditEntry[] }) {
  const set = (name: string, value: string | null) => withQuery(route, { [name]: value, cursor: null })
  const chosen = (name: 'checkId' | 'keyId', word: string, label: string) => (
    <button type="button" class="quiet-button" title="Show all" onClick={() => navigate(set(name, null))}>
      {word} {label} <span aria-hidden="true">✕</span>
    </button>
  )
  const [checkId, keyId] = [route.query.get('checkId'), route.query.get('keyId')]
  return (
    <div class="toolbar">
      <Select
        label="What"
        value={route.query.get('action') ?? ''}
        options={actions}
        onChange={(action) => navigate(set('action', action))}
      />
      {checkId && chosen('checkId', 'Check', entries.find(({ id }) => id === checkId)?.name ?? checkId)}
      {keyId && chosen('keyId', 'Key', entries.find(({ by }) => by.id === keyId)?.by.name ?? keyId)}
    </div>
  )
}

function AuditLine({ entry, route }: { entry: AuditEntry; route: Route }) {
  const { id, kind, version, by, at, changes } = entry
  const isCheck = kind === 'check'
  const name = checkName(entry)
  const lines = changeLines(changes)
  const only = (filter: Readonly<Record<string, string>>) => withQuery(route, { ...filter, cursor: null })
  return (
    <li>
      <span class="alert-line-text">
        <b>{isCheck ? <RouteLink href={`/checks/${id}/history`}>{name}</RouteLink> : `${kind.replaceAll('-', ' ')} ${name}`}</b>{' '}
        {actionWord(entry)}{' '}
        <span class="note">
          by <RouteLink href={only({ keyId: by.id })}>{by.name}</RouteLink>, <Time at={Date.parse(at)} zone />, version {version}
        </span>
        {lines.length > 0 && (
          <details class="replayed">
            <summary>{fieldsText(lines)}</summary>
            <FieldChanges changes={changes} />
          </details>
        )}
      </span>
      {isCheck && (
        <RouteLink class="quiet-button" aria-label={`Only this: writes of ${name}`} href={only({ checkId: id })}>
          Only this
        </RouteLink>
      )}
    </li>
  )
}
