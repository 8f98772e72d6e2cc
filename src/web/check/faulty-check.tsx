import { ActionProblem, useAction } from '../alerts/use-action.tsx'
import type { Problem } from '../api/client.ts'
import { useMayWrite } from '../api/use-scope.ts'
import { useFaultyChecks } from '../checks/faulty-checks.tsx'
import { Faults } from '../history/restore.tsx'
import { RouteLink } from '../state/route.tsx'
import { useTitle } from '../view/use-title.ts'
import { DeleteButton } from './check-actions.tsx'

/** A managed check that is stored but not run, because its definition is no longer valid. */
export function FaultyCheckView({ id, problem }: { readonly id: string; readonly problem: Problem }) {
  const known = useFaultyChecks().data?.find((check) => check.id === id)
  const name = known?.name ?? id
  useTitle(name)
  const mayWrite = useMayWrite()
  const action = useAction()
  const pause = () =>
    action.run((api, signal) =>
      api.request({ method: 'PATCH', path: `/v1/checks/${encodeURIComponent(id)}`, body: { activated: false } }, signal),
    )
  return (
    <>
      <div class="view-head">
        <nav aria-label="Up">
          <RouteLink href="/">Checks</RouteLink>
        </nav>
        <h1>{name}</h1>
        <span class="chip chip-alert">not run</span>
        <span class="actions check-actions">
          {mayWrite && (
            <RouteLink class="quiet-button" href={`/checks/${id}/edit`}>
              Edit
            </RouteLink>
          )}
          {mayWrite && known?.activated && (
            <button type="button" class="quiet-button" disabled={action.isRunning} onClick={pause}>
              Pause
            </button>
          )}
          {mayWrite && <DeleteButton id={id} />}
          <RouteLink class="quiet-button" href={`/checks/${id}/history`}>
            History
          </RouteLink>
        </span>
        <ActionProblem of={action} />
      </div>
      <section class="panel" data-panel="faults">
        <Faults title="This check is stored, but not run: its definition is no longer valid." faults={problem.faults} />
        <p class="note">To run it again, edit it, restore an earlier version, or allow what it uses in the config file.</p>
      </section>
    </>
  )
}
