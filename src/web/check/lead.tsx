import type { Check, CheckStatus, CheckType } from '../api/answers.ts'
import type { Route } from '../state/route.tsx'
import { DegradedLead } from './degraded-lead.tsx'
import { FailedRuns } from './failed-runs.tsx'
import { SilentLead } from './silent-lead.tsx'
import { TroubleLead } from './trouble-lead.tsx'

type LeadProps = {
  readonly check: Check
  readonly checkType: CheckType
  readonly status: CheckStatus
  readonly route: Route
}

/** What is wrong with a check: since when, why and where; nothing of one that is well. */
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
