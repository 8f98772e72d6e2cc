import type { Alert, AlertChannel } from '../api/answers.ts'
import { RouteLink } from '../state/route.tsx'
import { Time } from '../view/time.tsx'
import { SeverityMark } from './alert-card.tsx'
import { openAlertsText, toldOf } from './alert-text.ts'
import type { AlertPage } from './use-alerts.ts'

/** On the page of a check: which alerts are open, who was told, and who has acknowledged them. */
export function CheckAlerts({ alerts }: { readonly alerts: readonly Alert[] }) {
  if (alerts.length === 0) return null
  return (
    <ul class="alert-notes" aria-label="Open alerts">
      {alerts.map((alert) => (
        <li key={alert.id}>
          <RouteLink href={`/alerts/${alert.id}`}>{alert.title}</RouteLink> <SeverityMark alert={alert} /> by rule {alert.rule}, since{' '}
          <Time at={Date.parse(alert.openedAt)} relative />, <ToldShort alert={alert} />
        </li>
      ))}
    </ul>
  )
}

function ToldShort({ alert }: { alert: Alert }) {
  const told = toldOf(alert)
  const names = told.filter(({ state }) => state === 'told').map(({ channel }) => channel)
  const untold = told.filter(({ state }) => state === 'waiting' || state === 'givenUp').map(({ channel }) => channel)
  return (
    <>
      {names.length > 0 ? `told ${names.join(', ')}` : 'nobody was told yet'}
      {untold.length > 0 && <span class="untold">; {untold.join(', ')} could not be told yet</span>}
      {alert.acknowledged === null ? '; not acknowledged' : `; acknowledged by ${alert.acknowledged.by}`}
    </>
  )
}

const mostNamed = 5

type OverviewProps = { readonly open: AlertPage; readonly channels: readonly AlertChannel[] }

/** On the overview: open alerts and channels that do not work. */
export function OverviewAlerts({ open, channels }: OverviewProps) {
  const { alerts, pagination } = open
  const broken = channels.filter(({ health }) => health?.state === 'broken')
  if (alerts.length === 0 && broken.length === 0) return null
  return (
    <section class="panel overview-alerts" data-panel="alerts">
      <header>
        <h2>
          <RouteLink href="/alerts">{alerts.length === 0 ? 'Alerts' : openAlertsText(open)}</RouteLink>
        </h2>
      </header>
      <CheckAlerts alerts={alerts.slice(0, mostNamed)} />
      {alerts.length > mostNamed && <p class="note">and {pagination.next === null ? `${alerts.length - mostNamed} more` : 'many more'}</p>}
      {broken.map(({ channelId, health }) => (
        <p key={channelId} class="untold">
          Channel <b>{channelId}</b> is broken: {health?.answer}
        </p>
      ))}
    </section>
  )
}
