import type { Alert } from '../api/answers.ts'
import { useResource } from '../api/use-resource.ts'
import { type Route, RouteLink, withQuery } from '../state/route.tsx'
import { figure } from '../view/figures.ts'
import { Notice, ProblemNotice, Skeleton } from '../view/notice.tsx'
import { ScrollingTable } from '../view/scrolling-table.tsx'
import { Time } from '../view/time.tsx'
import { Severity } from './alert-card.tsx'
import { toldOf } from './alert-text.ts'

type Page = { readonly alerts: readonly Alert[]; readonly pagination: { readonly next: string | null } }

const perPage = 20

/** Alerts of the last 30 days that are over, newest first. */
export function History({ route }: { readonly route: Route }) {
  const cursor = route.query.get('cursor')
  const query = new URLSearchParams({
    state: 'closed',
    limit: String(perPage),
    quickRange: 'last30Days',
    ...(cursor !== null && { cursor }),
  })
  const page = useResource(
    `alerts ${query}`,
    async (api, signal) => (await api.request<Page>({ path: `/v1/alerts?${query}` }, signal)).data,
  )
  const { data, problem } = page
  return (
    <section class="panel" data-panel="history" aria-busy={data === undefined && problem === undefined}>
      <header>
        <h2>History</h2>
        <span class="note">of 30 days</span>
      </header>
      <ProblemNotice of={page} />
      {data === undefined && problem === undefined && <Skeleton lines={3} height={28} />}
      {data?.alerts.length === 0 && <Notice title="No alert of these days is over." />}
      {data !== undefined && data.alerts.length > 0 && <HistoryTable alerts={data.alerts} />}
      <nav class="pager" aria-label="Pages">
        {cursor !== null && (
          <RouteLink stays href={withQuery(route, { cursor: null })}>
            ← Newest
          </RouteLink>
        )}
        {data?.pagination.next && (
          <RouteLink stays href={withQuery(route, { cursor: data.pagination.next })}>
            Older →
          </RouteLink>
        )}
      </nav>
    </section>
  )
}

const heads = ['What', 'Severity', 'When', 'For', 'Told', 'Acknowledged']

function HistoryTable({ alerts }: { alerts: readonly Alert[] }) {
  return (
    <ScrollingTable label="Alerts that are over" heads={heads}>
      {alerts.map((alert) => (
        <tr key={alert.id} class="leads-on">
          <td class="alert-title">
            <RouteLink href={`/alerts/${alert.id}`}>{alert.title}</RouteLink>
          </td>
          <td>
            <Severity alert={alert} />
          </td>
          <td>
            <Time at={Date.parse(alert.openedAt)} />
          </td>
          <td>{figure(Date.parse(alert.closedAt ?? alert.openedAt) - Date.parse(alert.openedAt), 'milliseconds')}</td>
          <td>{toldText(alert)}</td>
          <td>{alert.acknowledged?.by ?? '–'}</td>
        </tr>
      ))}
    </ScrollingTable>
  )
}

function toldText(alert: Alert): string {
  const told = toldOf(alert).filter(({ at }) => at !== null)
  return told.map(({ channel, state }) => (state === 'told' ? channel : `${channel} (not)`)).join(', ') || 'nobody'
}
