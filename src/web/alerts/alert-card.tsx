import type { Alert } from '../api/answers.ts'
import { RouteLink } from '../state/route.tsx'
import { Fact } from '../view/fact.tsx'
import { plural } from '../view/figures.ts'
import { Time } from '../view/time.tsx'
import { AlertActions } from './alert-actions.tsx'
import { notifiedChannels, whereText } from './alert-text.ts'
import { NotifiedList } from './notified-list.tsx'

const shownMembers = 5

/** An open alert: subject, start, locations, reason, and the notified channels. */
export function AlertCard({ alert, mayOperate }: { readonly alert: Alert; readonly mayOperate: boolean }) {
  const where = whereText(alert)
  const [first] = alert.members
  return (
    <li class={`alert-card alert-${alert.severity}`}>
      <h3>
        <RouteLink href={`/alerts/${alert.id}`}>{alert.title}</RouteLink>
      </h3>
      <span class="alert-marks">
        <SeverityMark alert={alert} />
        <span class="note">
          since <Time at={Date.parse(first?.since ?? alert.openedAt)} relative />, rule {alert.rule}
        </span>
      </span>
      <dl>
        {where !== null && <Fact name="Where">{where}</Fact>}
        {alert.memberCount === 1 ? (
          first?.reason && <Fact name="Why">{first.reason}</Fact>
        ) : (
          <Fact name="What">
            <MemberLinks alert={alert} />
          </Fact>
        )}
        <Fact name="Notified">
          <NotifiedList notified={notifiedChannels(alert)} />
        </Fact>
        {alert.acknowledged && (
          <Fact name="Acknowledged">
            by <b>{alert.acknowledged.by}</b> <Time at={Date.parse(alert.acknowledged.at)} relative />
          </Fact>
        )}
      </dl>
      {mayOperate && <AlertActions alert={alert} />}
    </li>
  )
}

export function SeverityMark({ alert: { severity, closedAt } }: { readonly alert: Pick<Alert, 'severity' | 'closedAt'> }) {
  const isLoud = closedAt === null && (severity === 'critical' || severity === 'error')
  return <span class={isLoud ? 'chip chip-alert' : 'chip'}>{severity}</span>
}

function MemberLinks({ alert: { members, memberCount } }: { alert: Alert }) {
  const shown = members.slice(0, shownMembers)
  return (
    <>
      {shown.map(({ subject, checkId, name }, index) => (
        <span key={subject}>
          {index > 0 && ', '}
          {checkId === null ? name : <RouteLink href={`/checks/${checkId}`}>{name}</RouteLink>}
        </span>
      ))}
      {memberCount > shown.length && ` and ${plural(memberCount - shown.length, 'other')}`}
    </>
  )
}
