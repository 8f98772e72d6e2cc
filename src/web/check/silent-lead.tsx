import type { Check, CheckStatus, LocationEntry } from '../api/answers.ts'
import { useResource } from '../api/use-resource.ts'
import { Copyable } from '../share/copyable.tsx'
import { serverUrl } from '../state/base-path.ts'
import { elapsed } from '../view/elapsed.ts'
import { ProblemNotice } from '../view/notice.tsx'
import { useNow } from '../view/use-now.ts'
import { pingCommands } from './commands.ts'
import { useDefinition } from './use-definition.ts'
import { whySilent } from './why-silent.ts'

type SilentLeadProps = {
  readonly check: Check
  /** Whether results are pings of a job. */
  readonly pinged: boolean
  readonly status: CheckStatus
}

/** Explains why a check has no or no recent results, with advice. */
export function SilentLead({ check, pinged, status }: SilentLeadProps) {
  const now = useNow()
  const isRun = check.activated && !pinged
  const locations = useResource(
    isRun ? 'locations' : null,
    async (api, signal) => (await api.request<LocationEntry[]>({ path: '/v1/locations' }, signal)).data,
  )
  const reasons = whySilent({ check, status, pinged, locations: locations.data ?? [], now })
  return (
    <section class="panel lead" data-panel="lead">
      <h2>{titleOf(check, status, now)}</h2>
      <ul class="lead-reasons">
        {reasons.map(({ why, next }) => (
          <li key={why}>
            {why} <span class="note">{next}</span>
          </li>
        ))}
      </ul>
      {pinged && check.activated && <PingRecipe checkId={check.id} />}
    </section>
  )
}

function titleOf({ activated }: Check, { lastCheckRunId, updated_at }: CheckStatus, now: number): string {
  if (!activated) return 'Paused'
  return lastCheckRunId === null ? 'No run yet' : `No run for ${elapsed(now - Date.parse(updated_at))}`
}

/** How a job pings the check. The token is a secret, so URLs contain the variable from the config file instead. */
function PingRecipe({ checkId }: { checkId: string }) {
  const loaded = useDefinition(checkId)
  const ping = loaded.data?.ping ?? null
  if (ping === null) return <ProblemNotice of={loaded} />
  return (
    <>
      {pingCommands(ping, serverUrl()).map(({ label, text }) => (
        <Copyable key={label} label={label} text={text} />
      ))}
      <p class="note">
        <code>{ping.token ?? '$TOKEN'}</code> is the <code>token</code> of the check in the config file. It is a secret that the API never
        returns: set the variable where the job runs.
      </p>
    </>
  )
}
