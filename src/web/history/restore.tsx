import { useState } from 'preact/hooks'
import { versionTag } from '../../text/version-tag.ts'
import { ActionProblem, useAction } from '../alerts/use-action.tsx'
import type { Fault, FieldChange } from '../api/answers.ts'
import { FieldChanges } from './field-changes.tsx'
import { newestVersion, restorePath } from './restore-check.ts'

type Tried = { readonly faults: readonly Fault[]; readonly changes: readonly FieldChange[] }
/** What restoring a version changes, compared with the newest version at that time. */
type Preview = Tried & { readonly newest: string | undefined }

type RestoreProps = { readonly id: string; readonly version: number; readonly isUndo: boolean }

/** Previews the changes of restoring a version, and restores it. */
export function Restore({ id, version, isUndo }: RestoreProps) {
  const [tried, setTried] = useState<Preview | null>(null)
  const action = useAction()
  const path = restorePath(id)
  const look = () =>
    action.run(async (api, signal) => {
      const newest = await newestVersion(api, id, signal)
      const { data } = await api.request<Tried>({ path: `${path}?dryRun=true`, body: { version } }, signal)
      setTried({ ...data, newest: newest && versionTag(newest.version) })
    })
  const restore = (ifMatch: string | undefined) =>
    action.run(async (api, signal) => {
      await api.request({ path, body: { version }, ifMatch }, signal)
      setTried(null)
    })
  return (
    <div class="restore">
      {tried === null ? (
        <button type="button" class="quiet-button" disabled={action.isRunning} onClick={look}>
          {isUndo ? 'Undo …' : `Compare version ${version} with now`}
        </button>
      ) : (
        <>
          <Outcome tried={tried} />
          {tried.faults.length === 0 && tried.changes.length > 0 && (
            <button type="button" disabled={action.isRunning} onClick={() => restore(tried.newest)}>
              Restore version {version}
            </button>
          )}
          <button type="button" class="quiet-button" onClick={() => setTried(null)}>
            Close
          </button>
        </>
      )}
      <ActionProblem of={action} />
    </div>
  )
}

function Outcome({ tried: { faults, changes } }: { tried: Tried }) {
  if (faults.length > 0) return <Faults title="It cannot be restored: its definition is no longer valid." faults={faults} />
  if (changes.length === 0) return <p>No changes: the check already has these settings.</p>
  return (
    <>
      <p>Restoring it changes:</p>
      <FieldChanges changes={changes} />
    </>
  )
}

export function Faults({ title, faults }: { readonly title: string; readonly faults: readonly Fault[] }) {
  return (
    <div class="faults">
      <p>{title}</p>
      <ul>
        {faults.map(({ pointer, message }) => (
          <li key={`${pointer} ${message}`}>
            {pointer !== '' && <code>{pointer}</code>} {message}
          </li>
        ))}
      </ul>
    </div>
  )
}
