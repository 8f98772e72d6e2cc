import type { Alert, AlertChannel } from '../api/answers.ts'
import { RouteLink } from '../state/route.tsx'
import { Time } from '../view/time.tsx'
import { SeverityMark } from './alert-card.tsx'
import { notifiedChannels, openAlertsText } from './alert-text.ts'
import type { AlertPage } from './use-alerts.ts'

/** Open alerts on the page of a check, with the notified channels and who acknowledged them. */
export function CheckAlerts({ alerts }: { readonly alerts: readonly Alert[] }) {
  if (alerts.length === 0) return null
  return (
    <ul class="alert-notes" aria-label="Open alerts">
      {alerts.map((alert) => (
        <li key={alert.id}>
          <RouteLink href={`/alerts/${alert.id}`}>{alert.title}</RouteLink> <SeverityMark alert={alert} /> by rule {alert.rule}, since{' '}
          <Time at={Date.parse(alert.openedAt)} relative />, <NotifiedShort alert={alert} />
        </li>
      ))}
    </ul>
  )
}

function NotifiedShort({ alert }: { alert: Alert }) {
  const notified = notifiedChannels(alert)
  const names = notified.filter(({ state }) => state === 'notified').map(({ channel }) => channel)
  const pending = notified.filter(({ state }) => state === 'waiting' || state === 'givenUp').map(({ channel }) => channel)
  return (
    <>
      {names.length > 0 ? `notified ${names.join(', ')}` : 'no one notified yet'}
      {pending.length > 0 && <span class="unnotified">; {pending.join(', ')} could not be notified yet</span>}
      {alert.acknowledged === null ? '; not acknowledged' : `; acknowledged by ${alert.acknowledged.by}`}
    </>
  )
}

const mostNamed = 5

type OverviewProps = { readonly open: AlertPage; readonly channels: readonly AlertChannel[] }

/** Open alerts and broken channels, for the overview. */
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
        <p key={channelId} class="unnotified">
          Channel <b>{channelId}</b> is broken: {health?.answer}
        </p>
      ))}
    </section>
  )
}
