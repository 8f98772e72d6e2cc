import type { Alert } from '../api/answers.ts'
import { type Route, RouteLink } from '../state/route.tsx'
import { figure } from '../view/figures.ts'
import { Notice, ProblemNotice, Skeleton } from '../view/notice.tsx'
import { ScrollingTable } from '../view/scrolling-table.tsx'
import { Time } from '../view/time.tsx'
import { SeverityMark } from './alert-card.tsx'
import { notifiedChannels } from './alert-text.ts'
import { CursorPager } from './cursor-pager.tsx'
import { useAlertPage } from './use-alerts.ts'

/** Closed alerts of the last 30 days, newest first. */
export function History({ route }: { readonly route: Route }) {
  const page = useAlertPage({ state: 'closed', limit: '20', quickRange: 'last30Days', cursor: route.query.get('cursor') })
  const { data, problem } = page
  return (
    <section class="panel" data-panel="history" aria-busy={data === undefined && problem === undefined}>
      <header>
        <h2>History</h2>
        <span class="note">of 30 days</span>
      </header>
      <ProblemNotice of={page} />
      {data === undefined && problem === undefined && <Skeleton lines={3} height={28} />}
      {data?.alerts.length === 0 && <Notice title="No alerts ended in this period." />}
      {data !== undefined && data.alerts.length > 0 && <HistoryTable alerts={data.alerts} />}
      <CursorPager route={route} param="cursor" of="ended alerts" next={data?.pagination.next ?? null} />
    </section>
  )
}

const heads = ['What', 'Severity', 'When', 'For', 'Notified', 'Acknowledged']

function HistoryTable({ alerts }: { alerts: readonly Alert[] }) {
  return (
    <ScrollingTable label="Ended alerts" heads={heads}>
      {alerts.map((alert) => (
        <tr key={alert.id} class="leads-on">
          <td class="alert-title">
            <RouteLink href={`/alerts/${alert.id}`}>{alert.title}</RouteLink>
          </td>
          <td>
            <SeverityMark alert={alert} />
          </td>
          <td>
            <Time at={Date.parse(alert.openedAt)} />
          </td>
          <td>{figure(Date.parse(alert.closedAt ?? alert.openedAt) - Date.parse(alert.openedAt), 'milliseconds')}</td>
          <td>{notifiedText(alert)}</td>
          <td>{alert.acknowledged?.by ?? '–'}</td>
        </tr>
      ))}
    </ScrollingTable>
  )
}

function notifiedText(alert: Alert): string {
  const notified = notifiedChannels(alert).filter(({ at }) => at !== null)
  return notified.map(({ channel, state }) => (state === 'notified' ? channel : `${channel} (not)`)).join(', ') || 'no one'
}
