import type { Check, CheckStatus, CheckType, OneResult, StateInterval } from '../api/answers.ts'
import { settled, useResource } from '../api/use-resource.ts'
import { RunLink } from '../run/run-link.tsx'
import type { Route } from '../state/route.tsx'
import { defaultWindow, queryText, windowParameters } from '../state/window.ts'
import { TroubleLead } from './trouble-lead.tsx'
import { useDefinition } from './use-definition.ts'
import { degradedSince, whyDegraded } from './why-degraded.ts'

type DegradedLeadProps = {
  readonly check: Check
  readonly checkType: CheckType
  readonly status: CheckStatus
  readonly route: Route
}

/** Since when a check is degraded, from its states of the last day, and which limit the newest degraded run exceeds. */
export function DegradedLead({ check, checkType, status, route }: DegradedLeadProps) {
  const { data: states } = useStates(check, checkType)
  const definition = useDefinition(check.id)
  const newest = useNewestDegraded(check.id, status)
  const run = newest.data
  const hasRun = status.locations.some(({ state, lastCheckRunId }) => state === 'degraded' && lastCheckRunId !== null)
  const isKnown = settled(definition) && (!hasRun || settled(newest))
  const reason = definition.data && run ? whyDegraded(definition.data.definition, checkType, run) : isKnown ? null : undefined
  const runs = {
    label: 'Degraded run',
    links: run ? (
      <RunLink checkId={check.id} run={run}>
        the newest
      </RunLink>
    ) : (
      '–'
    ),
  }
  const since = states === undefined ? null : degradedSince(states)
  return <TroubleLead check={check} status={status} route={route} state="degraded" since={since} reason={reason} runs={runs} />
}

type States = { readonly from: string; readonly intervals: readonly StateInterval[] }

function useStates({ id }: Check, { endpoint }: CheckType) {
  return useResource(`states ${id}`, async (api, signal) => {
    const asked = [['metrics', 'availability'], ...windowParameters(defaultWindow), ['availabilityBy', 'time'], ['explain', 'true']]
    const path = `${endpoint}/${id}?${queryText(asked)}`
    return (await api.request<States>({ path }, signal)).data
  })
}

function useNewestDegraded(checkId: string, { locations }: CheckStatus) {
  const newest = locations
    .filter(({ state }) => state === 'degraded')
    .toSorted((a, b) => Date.parse(b.updated_at ?? '') - Date.parse(a.updated_at ?? ''))[0]
  const path = newest?.lastCheckRunId ? `/v1/check-results/${encodeURIComponent(checkId)}/${newest.lastCheckRunId}` : null
  return useResource(path, async (api, signal) => (path === null ? null : (await api.request<OneResult>({ path }, signal)).data))
}
