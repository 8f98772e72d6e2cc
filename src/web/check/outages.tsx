import type { Outage } from '../api/answers.ts'
import { useResource } from '../api/use-resource.ts'
import { type Route, RouteLink } from '../state/route.tsx'
import { type TimeWindow, windowChanges, windowParameters } from '../state/window.ts'
import { figure } from '../view/figures.ts'
import { Notice, ProblemNotice, Skeleton } from '../view/notice.tsx'
import { ScrollingTable } from '../view/scrolling-table.tsx'
import { instantText, spanText, zoneText } from '../view/time.tsx'
import { LocationLinks } from './location-links.tsx'
import { runsHref } from './runs.tsx'

const outagesShown = 50

type OutagesProps = { readonly checkId: string; readonly window: TimeWindow; readonly route: Route; readonly now: number }

/** The times in which the check was down, newest first; each leads to its failed runs. */
export function Outages({ checkId, window, route, now }: OutagesProps) {
  const outages = useResource(`outages ${JSON.stringify([checkId, window])}`, async (api, signal) => {
    const query = [['checkId', checkId], ...windowParameters(window), ['limit', String(outagesShown)]].map((pair) => pair.join('='))
    return (await api.request<{ outages: Outage[] }>({ path: `/v1/analytics/outages?${query.join('&')}` }, signal)).data.outages
  })
  const { data, problem, loading } = outages
  return (
    <section class={`panel outages ${loading ? 'loading' : ''}`} aria-busy={loading} data-panel="outages">
      <header>
        <h2>Outages</h2>
        <span class="note">when the check was down</span>
      </header>
      <ProblemNotice of={outages} />
      {data === undefined && problem === undefined && <Skeleton lines={3} height={28} />}
      {data?.length === 0 && <Notice title="No outages in this window." />}
      {data !== undefined && data.length > 0 && <OutagesTable outages={data} route={route} now={now} />}
    </section>
  )
}

function OutagesTable({ outages, route, now }: { outages: readonly Outage[]; route: Route; now: number }) {
  return (
    <ScrollingTable label="Outages" heads={['When', 'For', 'Locations', 'Reason']}>
      {outages.map((outage) => (
        <tr key={outage.from} class="leads-on">
          <td>
            <RouteLink href={runsHref(route, runsIn(outage, now))}>{spanOf(outage)}</RouteLink>
          </td>
          <td>{figure(outage.seconds * 1000, 'milliseconds')}</td>
          <td>
            <LocationLinks names={outage.locations} route={route} changes={runsIn(outage, now)} />
          </td>
          <td>{outage.reason ?? '–'}</td>
        </tr>
      ))}
    </ScrollingTable>
  )
}

function spanOf({ from, to }: Outage): string {
  return to === null ? `since ${instantText(Date.parse(from))} ${zoneText(Date.parse(from))}` : spanText(Date.parse(from), Date.parse(to))
}

/** The changes to a query that select the failed runs of an outage. */
function runsIn({ from, to }: Outage, now: number): Record<string, string | null> {
  return { ...windowChanges({ from: Date.parse(from), to: to === null ? now : Date.parse(to) }), filterByStatus: 'failure' }
}
