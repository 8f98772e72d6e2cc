import { useState } from 'preact/hooks'
import type { Check } from '../api/answers.ts'
import { useSession } from '../api/use-resource.ts'
import { Copyable } from '../share/copyable.tsx'
import { Dialog } from '../share/dialog.tsx'
import { serverUrl } from '../state/base-path.ts'
import { ProblemNotice, Skeleton } from '../view/notice.tsx'
import { type Command, localCommands, pingCommands, remoteCommands } from './commands.ts'
import { useDefinition } from './use-definition.ts'

/** Opens commands to copy, for using the check elsewhere. */
export function CommandsButton({ check }: { readonly check: Check }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <button type="button" class="quiet-button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Commands
      </button>
      {open && <CommandsDialog check={check} onClose={() => setOpen(false)} />}
    </>
  )
}

function CommandsDialog({ check, onClose }: { check: Check; onClose(): void }) {
  const loaded = useDefinition(check.id)
  const { account } = useSession().api.credentials
  const { data, problem } = loaded
  const own = { id: check.id, account }
  return (
    <Dialog label={`Commands for ${check.name}`} title={check.name} onClose={onClose}>
      <ProblemNotice of={loaded} />
      {data === undefined && problem === undefined && <Skeleton lines={4} height={48} />}
      {data !== undefined && (
        <>
          {data.ping !== null && <Commands title="For the job that pings" commands={pingCommands(data.ping, serverUrl())} />}
          {data.ping !== null && <p class="note">The token is a secret: see the config file of the server.</p>}
          <Commands title="In the folder of the config file" commands={localCommands(own, data.ping === null)} />
          <Commands title="From anywhere, with a key" commands={remoteCommands(own)} />
          <h3>As in the config file</h3>
          <Copyable label="For checks: in the config file" text={data.yaml} />
        </>
      )}
    </Dialog>
  )
}

function Commands({ title, commands }: { title: string; commands: readonly Command[] }) {
  return (
    <>
      <h3>{title}</h3>
      {commands.map(({ label, text }) => (
        <Copyable key={label} label={label} text={text} />
      ))}
    </>
  )
}
