import type { Alert, AlertMessage } from '../api/answers.ts'
import { type Resource, useResource, useWatchAlerts } from '../api/use-resource.ts'
import { useMayOperate } from '../api/use-scope.ts'
import { RouteLink } from '../state/route.tsx'
import { Fact } from '../view/fact.tsx'
import { figure, plural } from '../view/figures.ts'
import { useFirst } from '../view/long-list.tsx'
import { Notice, ProblemNotice, Skeleton } from '../view/notice.tsx'
import { ScrollingTable } from '../view/scrolling-table.tsx'
import { StateMark } from '../view/state.tsx'
import { Time } from '../view/time.tsx'
import { useTitle } from '../view/use-title.ts'
import { AlertActions } from './alert-actions.tsx'
import { SeverityMark } from './alert-card.tsx'
import { notifiedChannels, outcomeText } from './alert-text.ts'
import { NotifiedList } from './notified-list.tsx'

export function AlertView({ id }: { readonly id: string }) {
  const alert = useResource(`alert ${id}`, async (api, signal) => (await api.request<Alert>({ path: `/v1/alerts/${id}` }, signal)).data)
  const mayOperate = useMayOperate()
  useWatchAlerts()
  useTitle(alert.data?.title ?? 'Alert')
  if (alert.data === undefined || mayOperate === undefined) {
    if (alert.problem === undefined) return <Skeleton lines={6} height={72} />
    return (
      <ProblemNotice whole of={alert}>
        <RouteLink href="/alerts">All alerts of this account</RouteLink>
      </ProblemNotice>
    )
  }
  return <AlertDetails alert={alert.data} of={alert} mayOperate={mayOperate} />
}

type DetailsProps = { readonly alert: Alert; readonly of: Resource<Alert>; readonly mayOperate: boolean }

function AlertDetails({ alert, of, mayOperate }: DetailsProps) {
  const { closedAt, acknowledged } = alert
  return (
    <>
      <div class="view-head">
        <nav aria-label="Up">
          <RouteLink href="/alerts">Alerts</RouteLink>
        </nav>
        <h1>{alert.title}</h1>
        {closedAt === null ? <StateMark state="failing" word="open" /> : <StateMark state="passing" word="over" />}
        <SeverityMark alert={alert} />
      </div>
      <ProblemNotice of={of} />
      <section class="panel alert-facts" data-panel="alert" aria-label="The alert">
        <dl>
          <Fact name="Opened">
            <Time at={Date.parse(alert.openedAt)} zone />
          </Fact>
          {closedAt !== null && (
            <Fact name="Over">
              <Time at={Date.parse(closedAt)} zone /> after {figure(Date.parse(closedAt) - Date.parse(alert.openedAt), 'milliseconds')}
            </Fact>
          )}
          <Fact name="Rule">{alert.rule}</Fact>
          <Fact name="Notified">
            <NotifiedList notified={notifiedChannels(alert)} />
          </Fact>
          <Fact name="Acknowledged">
            {acknowledged === null ? (
              'no'
            ) : (
              <>
                by <b>{acknowledged.by}</b> <Time at={Date.parse(acknowledged.at)} />
              </>
            )}
          </Fact>
        </dl>
        {closedAt === null && mayOperate && <AlertActions alert={alert} />}
        {closedAt === null && !mayOperate && (
          <p class="note">This key is read-only. To acknowledge and silence, use a key with the operate scope.</p>
        )}
      </section>
      <Members alert={alert} />
      <Messages messages={alert.messages} />
    </>
  )
}

function Members({ alert: { members, memberCount } }: { alert: Alert }) {
  const { shown, rest } = useFirst(members)
  return (
    <section class="panel" data-panel="members">
      <header>
        <h2>Affected</h2>
        <span class="note">{memberCount > members.length ? `${members.length} of ${plural(memberCount, 'subject')}` : ''}</span>
      </header>
      <ScrollingTable label="Affected" heads={['Name', 'Since', 'Until', 'Where', 'Why']}>
        {shown.map(({ subject, checkId, name, since, until, endedBy, locations, reason, resultId, isFlapping }) => (
          <tr key={subject}>
            <th scope="row" class="alert-title">
              {checkId === null ? name : <RouteLink href={`/checks/${checkId}`}>{name}</RouteLink>}
              {isFlapping && <span class="chip">flapping</span>}
            </th>
            <td>
              <Time at={Date.parse(since)} />
            </td>
            <td>
              {until === null ? '–' : <Time at={Date.parse(until)} />}
              {endedBy !== null && endedBy !== 'recovered' && ` (${endedBy})`}
            </td>
            <td>{locations === null ? '–' : `${locations.down.length} of ${locations.known}: ${locations.down.join(', ') || 'none'}`}</td>
            <td class="alert-title">
              {checkId !== null && resultId !== null ? (
                <RouteLink href={`/checks/${checkId}/runs/${resultId}`}>{reason ?? 'The run'}</RouteLink>
              ) : (
                (reason ?? '–')
              )}
            </td>
          </tr>
        ))}
      </ScrollingTable>
      {rest}
    </section>
  )
}

function Messages({ messages }: { messages: readonly AlertMessage[] }) {
  return (
    <section class="panel" data-panel="messages">
      <header>
        <h2>Messages</h2>
        <span class="note">newest first</span>
      </header>
      {messages.length === 0 ? (
        <Notice title="No one was notified yet." />
      ) : (
        <ScrollingTable label="Messages" heads={['Channel', 'Event', 'Outcome', 'Answer', 'Attempts', 'Last', 'Next', 'Title']}>
          {messages.map((message) => (
            <tr key={message.id}>
              <th scope="row">{message.channel}</th>
              <td>{message.event}</td>
              <td>{outcomeText(message)}</td>
              <td class="alert-title">{message.answer ?? '–'}</td>
              <td class="number">{message.attempts}</td>
              <td>{message.lastAt === null ? '–' : <Time at={Date.parse(message.lastAt)} />}</td>
              <td>{message.nextAt === null ? '–' : <Time at={Date.parse(message.nextAt)} />}</td>
              <td class="alert-title">{message.title}</td>
            </tr>
          ))}
        </ScrollingTable>
      )}
    </section>
  )
}
