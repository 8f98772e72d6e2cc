import type { Check, CheckStatus, LocationEntry } from '../api/answers.ts'
import { useResource } from '../api/use-resource.ts'
import { Copyable } from '../share/copyable.tsx'
import { serverUrl } from '../state/base-path.ts'
import { elapsed } from '../view/elapsed.ts'
import { useNow } from '../view/use-now.ts'
import { cronSchedule } from './cron-line.ts'
import { whySilent } from './why-silent.ts'

type SilentLeadProps = {
  readonly check: Check
  /** Whether its results are pings of a job. */
  readonly pinged: boolean
  readonly status: CheckStatus
}

/** Why a check has no results, or none any more, and what to do. */
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
      {pinged && check.activated && <PingRecipe everyMinutes={check.frequency} />}
    </section>
  )
}

function titleOf({ activated }: Check, { lastCheckRunId, updated_at }: CheckStatus, now: number): string {
  if (!activated) return 'Paused'
  return lastCheckRunId === null ? 'No run yet' : `No run for ${elapsed(now - Date.parse(updated_at))}`
}

/** How a job says that it is alive. */
function PingRecipe({ everyMinutes }: { everyMinutes: number }) {
  const address = `${serverUrl()}/ping/TOKEN`
  return (
    <>
      <Copyable label="The address of its pings" text={address} />
      <Copyable label="For cron" text={`${cronSchedule(everyMinutes)} /path/to/job && curl -fsS -m 10 --retry 3 -o /dev/null ${address}`} />
      <p class="note">
        TOKEN is the <code>token</code> of the check in the config file. It is a secret, which no answer of the API contains. A job that has
        failed calls the same address with <code>/fail</code> after it.
      </p>
    </>
  )
}
