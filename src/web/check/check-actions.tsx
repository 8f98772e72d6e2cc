import { ActionProblem, useAction } from '../alerts/use-action.tsx'
import type { Check, CheckDefinition } from '../api/answers.ts'
import { type Resource, useDefinitions } from '../api/use-resource.ts'
import { navigate, RouteLink } from '../state/route.tsx'
import { CommandsButton } from './commands-dialog.tsx'

/** Whether a check is managed or comes from the config file. */
export type DefinitionSource = Pick<CheckDefinition, 'managedVersion' | 'place'>

export function useDefinitionSource(id: string): Resource<DefinitionSource> {
  return useDefinitions(
    `source ${id}`,
    async (api, signal) => (await api.request<DefinitionSource>({ path: `/v1/checks/${encodeURIComponent(id)}/definition` }, signal)).data,
  )
}

type ActionsProps = { readonly check: Check; readonly source: DefinitionSource | undefined; readonly mayWrite: boolean }

/** Actions for a check. Without write permission, only those that change nothing. */
export function CheckActions({ check, source, mayWrite }: ActionsProps) {
  const { id } = check
  const isManaged = typeof source?.managedVersion === 'number'
  const isInFile = source !== undefined && source.place !== null
  return (
    <>
      <span class={mayWrite || isManaged ? 'actions check-actions' : 'actions'}>
        {mayWrite && isManaged && !isInFile && <Changing check={check} />}
        {mayWrite && (
          <RouteLink class="quiet-button" href={`/new?copy=${encodeURIComponent(id)}`}>
            Duplicate
          </RouteLink>
        )}
        {mayWrite && isManaged && <DeleteButton id={id} />}
        {isManaged && (
          <RouteLink class="quiet-button" href={`/checks/${id}/history`}>
            History
          </RouteLink>
        )}
        <CommandsButton check={check} />
        <RouteLink class="quiet-button" href={`/checks/${id}/badge`}>
          Badge
        </RouteLink>
      </span>
      {mayWrite && source !== undefined && (isInFile || !isManaged) && <span class="note file-note">{fileText(source)}</span>}
    </>
  )
}

function fileText({ managedVersion, place }: DefinitionSource): string {
  const where = place ?? 'the config file'
  return managedVersion === null
    ? `Defined in ${where}; edit it there.`
    : `Managed, but still in ${where}: remove it there to edit it here.`
}

function Changing({ check: { id, activated, muted } }: { check: Check }) {
  const action = useAction()
  const patch = (body: object) =>
    action.run((api, signal) => api.request({ method: 'PATCH', path: `/v1/checks/${encodeURIComponent(id)}`, body }, signal))
  return (
    <>
      <RouteLink class="quiet-button" href={`/checks/${id}/edit`}>
        Edit
      </RouteLink>
      <button type="button" class="quiet-button" disabled={action.isRunning} onClick={() => patch({ activated: !activated })}>
        {activated ? 'Pause' : 'Resume'}
      </button>
      <button type="button" class="quiet-button" disabled={action.isRunning} onClick={() => patch({ muted: !muted })}>
        {muted ? 'Unmute' : 'Mute'}
      </button>
      <ActionProblem of={action} />
    </>
  )
}

/** Navigates to the page of deleted checks, where the deletion can be undone. */
export function DeleteButton({ id }: { readonly id: string }) {
  const action = useAction()
  const remove = () =>
    action.run(
      (api, signal) => api.request({ method: 'DELETE', path: `/v1/checks/${encodeURIComponent(id)}` }, signal),
      () => navigate('/deleted'),
    )
  return (
    <>
      <button type="button" class="quiet-button" disabled={action.isRunning} onClick={remove}>
        Delete
      </button>
      <ActionProblem of={action} />
    </>
  )
}
