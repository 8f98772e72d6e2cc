import { firstProblem, type Resource, useWatchAlerts } from '../api/use-resource.ts'
import { useMayOperate } from '../api/use-scope.ts'
import { FirstAlert } from '../start/first-alert.tsx'
import type { Route } from '../state/route.tsx'
import { Notice, ProblemNotice, Skeleton } from '../view/notice.tsx'
import { useTitle } from '../view/use-title.ts'
import { AlertCard } from './alert-card.tsx'
import { openAlertsText } from './alert-text.ts'
import { Channels } from './channels.tsx'
import { CursorPager } from './cursor-pager.tsx'
import { History } from './history.tsx'
import { Rules } from './rules.tsx'
import { Silences } from './silences.tsx'
import { type AlertPage, useAlertChannels, useAlertRules, useOpenAlerts, useSilences } from './use-alerts.ts'

/** Open alerts and their notified channels; silences, history, channels and rules. */
export function AlertsView({ route }: { readonly route: Route }) {
  const open = useOpenAlerts({ cursor: route.query.get('open') })
  const silences = useSilences()
  const channels = useAlertChannels()
  const rules = useAlertRules()
  const mayOperate = useMayOperate()
  useWatchAlerts()
  useTitle(open.data?.alerts.length ? openAlertsText(open.data) : 'Alerts')
  const failed = firstProblem(open, silences, channels, rules)
  if (failed !== null) return <ProblemNotice whole of={failed} />
  if (!open.data || !silences.data || !channels.data || !rules.data || mayOperate === undefined) return <Skeleton lines={6} height={96} />
  const hasRules = rules.data.length > 0
  return (
    <>
      <div class="view-head">
        <h1>Alerts</h1>
        {!mayOperate && (
          <span class="note">This key is read-only. To acknowledge, silence and test, use a key with the operate scope.</span>
        )}
      </div>
      {!hasRules && <FirstAlert />}
      {(hasRules || open.data.alerts.length > 0) && <OpenAlerts route={route} of={open} page={open.data} mayOperate={mayOperate} />}
      {(hasRules || silences.data.length > 0) && <Silences of={silences} silences={silences.data} mayOperate={mayOperate} />}
      {channels.data.length > 0 && <Channels of={channels} channels={channels.data} mayOperate={mayOperate} />}
      {hasRules && <Rules of={rules} rules={rules.data} />}
      {hasRules && <History route={route} />}
    </>
  )
}

type OpenProps = { readonly route: Route; readonly of: Resource<AlertPage>; readonly page: AlertPage; readonly mayOperate: boolean }

function OpenAlerts({ route, of, page: { alerts, pagination }, mayOperate }: OpenProps) {
  const isFirst = route.query.get('open') === null
  return (
    <section class="panel" data-panel="open-alerts">
      <header>
        <h2>Open</h2>
        <span class="note">{isFirst && pagination.next !== null ? `the newest ${alerts.length}` : ''}</span>
      </header>
      <ProblemNotice of={of} />
      {alerts.length === 0 ? (
        <Notice title={isFirst ? 'No open alerts.' : 'No older open alerts.'} />
      ) : (
        <ul class="alert-cards">
          {alerts.map((alert) => (
            <AlertCard key={alert.id} alert={alert} mayOperate={mayOperate} />
          ))}
        </ul>
      )}
      <CursorPager route={route} param="open" of="open alerts" next={pagination.next} />
    </section>
  )
}
