import { ActionProblem, useAction } from '../alerts/use-action.tsx'
import type { DeletedCheck } from '../api/answers.ts'
import { everyPage } from '../api/every-page.ts'
import { type Resource, useResource, useSession } from '../api/use-resource.ts'
import { useMayWrite } from '../api/use-scope.ts'
import { navigate, RouteLink } from '../state/route.tsx'
import { LongList } from '../view/long-list.tsx'
import { Notice, ProblemNotice, Skeleton } from '../view/notice.tsx'
import { minuteText, Time, zoneText } from '../view/time.tsx'
import { useTitle } from '../view/use-title.ts'
import { restoreAllDeleted, restoreDeleted } from './restore-check.ts'

export function useDeletedChecks(): Resource<readonly DeletedCheck[]> {
  return useResource('deleted-checks', (api, signal) => everyPage<DeletedCheck>(api, '/v1/deleted-checks', signal))
}

/** Checks deleted within the last hour, which can be restored. */
export function DeletedView() {
  useTitle('Deleted checks')
  const deleted = useDeletedChecks()
  const mayWrite = useMayWrite()
  const { data, problem } = deleted
  if (data === undefined && problem !== undefined) return <ProblemNotice whole of={deleted} />
  if (data === undefined || mayWrite === undefined) return <Skeleton lines={4} height={40} />
  return (
    <>
      <div class="view-head">
        <nav aria-label="Up">
          <RouteLink href="/">Checks</RouteLink>
        </nav>
        <h1>Deleted checks</h1>
        <span class="note">in the last hour; their results follow the usual retention</span>
      </div>
      <ProblemNotice of={deleted} />
      {data.length === 0 ? (
        <Notice title="No checks deleted in the last hour." />
      ) : (
        <section class="panel" data-panel="deleted">
          {mayWrite && data.length > 1 && <RestoreAll checks={data} />}
          <LongList items={data}>{(check) => <DeletedLine key={check.id} check={check} mayWrite={mayWrite} />}</LongList>
        </section>
      )}
    </>
  )
}

function DeletedLine({ check, mayWrite }: { check: DeletedCheck; mayWrite: boolean }) {
  const action = useAction()
  const { id, name, by, deletedAt, restorableUntil } = check
  const end = Date.parse(restorableUntil)
  const undo = () =>
    action.run(
      (api, signal) => restoreDeleted(api, id, signal),
      () => navigate(`/checks/${id}`),
    )
  return (
    <li>
      <span class="alert-line-text">
        <b>{name ?? id}</b>{' '}
        <span class="note">
          deleted by {by.name}, <Time at={Date.parse(deletedAt)} relative />; can be restored until {minuteText(end)} {zoneText(end)}
        </span>
      </span>
      {mayWrite && (
        <button type="button" class="quiet-button" disabled={action.isRunning} aria-label={`Undo: restore ${name ?? id}`} onClick={undo}>
          Undo
        </button>
      )}
      <ActionProblem of={action} />
    </li>
  )
}

/** Restores the last deleted check first, so that dependencies exist before their dependents. */
function RestoreAll({ checks }: { checks: readonly DeletedCheck[] }) {
  const { refresh } = useSession()
  const action = useAction()
  const all = () =>
    action.run((api, signal) =>
      restoreAllDeleted(
        api,
        checks.map(({ id }) => id),
        signal,
      ).finally(refresh),
    )
  return (
    <p>
      <button type="button" class="quiet-button" disabled={action.isRunning} onClick={all}>
        Restore all {checks.length}
      </button>
      <ActionProblem of={action} />
    </p>
  )
}
