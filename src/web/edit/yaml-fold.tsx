import { useState } from 'preact/hooks'
import type { TriedRun } from '../api/answers.ts'
import { Copyable } from '../share/copyable.tsx'
import type { Definition } from './definition.ts'
import { useAfterPause } from './use-after-pause.ts'
import { tryPath } from './use-trial.ts'

/** What is in the form, as the config file would have it; asked for once it is opened. */
export function YamlFold({ sent, storedId }: { readonly sent: Definition; readonly storedId: string | null }) {
  const [isOpen, setOpen] = useState(false)
  const { data, isCurrent } = useAfterPause<Pick<TriedRun, 'yaml'>>(isOpen ? { path: `${tryPath(storedId)}&run=false`, body: sent } : null)
  return (
    <details class="panel form-fold" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As YAML</summary>
      {data !== null && <Copyable label="For checks: of the config file" text={data.yaml} />}
      {data === null && isCurrent && <p class="note">It is here as soon as nothing in the form is wrong.</p>}
    </details>
  )
}
