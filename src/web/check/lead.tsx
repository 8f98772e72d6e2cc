import type { ComponentChildren } from 'preact'
import type { Check, CheckStatus, CheckType } from '../api/answers.ts'
import type { Route } from '../state/route.tsx'
import { elapsed } from '../view/elapsed.ts'
import { Time } from '../view/time.tsx'
import { useNow } from '../view/use-now.ts'
import { definitionChange } from './definition-change.ts'
import { FailedRuns } from './failed-runs.tsx'
import { LocationLinks } from './location-links.tsx'
import { SilentLead } from './silent-lead.tsx'

type LeadProps = {
  readonly check: Check
  readonly checkType: CheckType
  readonly status: CheckStatus
  readonly route: Route
}

/** What is wrong with a check: since when, why and where; nothing of one that is well. */
export function CheckLead({ check, checkType, status, route }: LeadProps) {
  if (status.state === 'failing') return <FailingLead check={check} status={status} route={route} />
  if (status.state !== 'unknown' && status.state !== 'paused') return null
  return <SilentLead check={check} pinged={checkType.pinged} status={status} />
}

function FailingLead({ check, status, route }: Omit<LeadProps, 'checkType'>) {
  const now = useNow()
  const since = status.failingSince === null ? null : Date.parse(status.failingSince)
  const failing = status.locations.filter(({ state }) => state === 'failing').map(({ runLocation }) => runLocation)
  return (
    <section class="panel lead lead-failing" data-panel="lead">
      <h2>{since === null ? 'Failing' : `Failing for ${elapsed(now - since)}`}</h2>
      {status.reason !== null && <p class="lead-reason">{status.reason}</p>}
      <dl>
        <Fact label="Since">{since === null ? '–' : <Time at={since} zone />}</Fact>
        <Fact label="Where">
          {failing.length} of {status.locations.length}:{' '}
          <LocationLinks names={failing} route={route} changes={{ filterByStatus: 'failure' }} />
        </Fact>
        <Fact label="Failed runs">
          <FailedRuns checkId={check.id} />
        </Fact>
        <Fact label="Definition">{definitionChange(check, since)}</Fact>
      </dl>
    </section>
  )
}

function Fact({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}
