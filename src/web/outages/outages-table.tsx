import type { Outage } from '../api/answers.ts'
import { LocationLinks } from '../check/location-links.tsx'
import { runsHref } from '../check/runs.tsx'
import { RunLink } from '../run/run-link.tsx'
import { type Route, RouteLink } from '../state/route.tsx'
import { windowChanges } from '../state/window.ts'
import { elapsed } from '../view/elapsed.ts'
import { reasonLine } from '../view/failing-for.tsx'
import { ScrollingTable } from '../view/scrolling-table.tsx'
import { instantText, spanText, zoneText } from '../view/time.tsx'

type OutagesTableProps = {
  readonly outages: readonly Outage[]
  /** The view of the check; null if the outages are of several checks. */
  readonly check: Pick<Route, 'path' | 'query'> | null
  readonly now: number
}

export function OutagesTable({ outages, check, now }: OutagesTableProps) {
  const heads = ['When', ...(check === null ? ['Check'] : []), 'For', 'Reason', 'Locations', 'Failed runs']
  return (
    <ScrollingTable label="Outages" heads={heads}>
      {outages.map((outage) => (
        <OutageRow key={`${outage.checkId} ${outage.from}`} {...{ outage, check, now }} />
      ))}
    </ScrollingTable>
  )
}

function OutageRow({ outage, check, now }: { outage: Outage } & Pick<OutagesTableProps, 'check' | 'now'>) {
  const view = check ?? { path: `/checks/${outage.checkId}`, query: new URLSearchParams() }
  const changes = runsIn(outage, now)
  return (
    <tr class={outage.to === null ? 'leads-on outage-open' : 'leads-on'}>
      <td>
        <RouteLink href={runsHref(view, { ...changes, location: null })}>{spanOf(outage)}</RouteLink>
        {outage.maintenance && <span class="chip">in maintenance</span>}
      </td>
      {check === null && (
        <td class="outage-check">
          <RouteLink href={view.path}>{outage.name}</RouteLink>
        </td>
      )}
      <td title={`${outage.seconds} s`}>{elapsed(outage.seconds * 1000)}</td>
      <td class="outage-reason" title={outage.reason ?? ''}>
        {reasonLine(outage.reason) || '–'}
      </td>
      <td class="outage-locations">
        <LocationLinks names={outage.locations} route={view} changes={changes} />
      </td>
      <td>
        <FirstAndLastRun outage={outage} />
      </td>
    </tr>
  )
}

/** Links to the first and the last failed run. The first one started with the outage. */
export function FirstAndLastRun({ outage: { checkId, from, firstResultId, lastResultId } }: { outage: Outage }) {
  if (firstResultId === null) return null
  const isOne = lastResultId === null || lastResultId === firstResultId
  return (
    <>
      <RunLink checkId={checkId} run={{ id: firstResultId, startedAt: from }}>
        {isOne ? 'the run' : 'first'}
      </RunLink>
      {!isOne && (
        <>
          {' … '}
          <RunLink checkId={checkId} run={{ id: lastResultId }}>
            last
          </RunLink>
        </>
      )}
    </>
  )
}

function spanOf({ from, to }: Outage): string {
  return to === null ? `since ${instantText(Date.parse(from))} ${zoneText(Date.parse(from))}` : spanText(Date.parse(from), Date.parse(to))
}

/** The query changes that select the failed runs of an outage. */
function runsIn({ from, to }: Outage, now: number): Record<string, string | null> {
  return { ...windowChanges({ from: Date.parse(from), to: to === null ? now : Date.parse(to) }), filterByStatus: 'failure' }
}
