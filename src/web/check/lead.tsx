import type { Check, CheckStatus, CheckType, Outage } from '../api/answers.ts'
import { useResource } from '../api/use-resource.ts'
import { anyOutage, outagesPath } from '../outages/outage-query.ts'
import { FirstAndLastRun } from '../outages/outages-table.tsx'
import type { Route } from '../state/route.tsx'
import { defaultWindow } from '../state/window.ts'
import { DegradedLead } from './degraded-lead.tsx'
import { SilentLead } from './silent-lead.tsx'
import { TroubleLead } from './trouble-lead.tsx'

type LeadProps = {
  readonly check: Check
  readonly checkType: CheckType
  readonly status: CheckStatus
  readonly route: Route
}

/** Explains what is wrong with a check: since when, why and where. Empty for a healthy check. */
export function CheckLead({ check, checkType, status, route }: LeadProps) {
  if (status.state === 'failing') return <FailingLead check={check} status={status} route={route} />
  if (status.state === 'degraded') return <DegradedLead check={check} checkType={checkType} status={status} route={route} />
  if (status.state !== 'unknown' && status.state !== 'paused') return null
  return <SilentLead check={check} pinged={checkType.pinged} status={status} />
}

function FailingLead({ check, status, route }: Omit<LeadProps, 'checkType'>) {
  const since = status.failingSince === null ? null : { at: Date.parse(status.failingSince), orEarlier: false }
  const runs = { label: 'Failed runs', links: <FailedRuns checkId={check.id} /> }
  return <TroubleLead check={check} status={status} route={route} state="failing" since={since} reason={status.reason} runs={runs} />
}

/** Links to the first and last failed run of the current outage. */
function FailedRuns({ checkId }: { readonly checkId: string }) {
  const filter = { ...anyOutage, checkId, state: 'open' } as const
  const { data, problem } = useResource(`open outage ${checkId}`, async (api, signal) => {
    const path = outagesPath(filter, defaultWindow, [['limit', '1']])
    return (await api.request<{ outages: readonly Outage[] }>({ path }, signal)).data.outages
  })
  const [open] = data ?? []
  if (open !== undefined) return <FirstAndLastRun outage={open} />
  return data === undefined && problem === undefined ? '…' : '–'
}
