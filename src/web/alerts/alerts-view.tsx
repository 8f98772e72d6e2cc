import type { Alert } from '../api/answers.ts'
import { firstProblem, type Resource, useWatchAlerts } from '../api/use-resource.ts'
import { FirstAlert } from '../start/first-alert.tsx'
import type { Route } from '../state/route.tsx'
import { plural } from '../view/figures.ts'
import { Notice, ProblemNotice, Skeleton } from '../view/notice.tsx'
import { useTitle } from '../view/use-title.ts'
import { AlertCard } from './alert-card.tsx'
import { Channels } from './channels.tsx'
import { History } from './history.tsx'
import { Rules } from './rules.tsx'
import { Silences } from './silences.tsx'
import { mostOpen, useAlertChannels, useAlertRules, useMayOperate, useOpenAlerts, useSilences } from './use-alerts.ts'

/** What is open now and who was told; silences, history, channels and rules. */
export function AlertsView({ route }: { readonly route: Route }) {
  const open = useOpenAlerts()
  const silences = useSilences()
  const channels = useAlertChannels()
  const rules = useAlertRules()
  const mayOperate = useMayOperate()
  useWatchAlerts()
  useTitle(open.data?.length ? `${plural(open.data.length, 'open alert')}` : 'Alerts')
  const failed = firstProblem(open, silences, channels, rules)
  if (failed !== null) return <ProblemNotice whole of={failed} />
  if (!open.data || !silences.data || !channels.data || !rules.data || mayOperate === undefined) return <Skeleton lines={6} height={96} />
  const hasRules = rules.data.length > 0
  return (
    <>
      <div class="view-head">
        <h1>Alerts</h1>
        {!mayOperate && <span class="note">This key may only read. A key with the scope operate acknowledges, silences and tests.</span>}
      </div>
      {!hasRules && <FirstAlert />}
      {(hasRules || open.data.length > 0) && <OpenAlerts of={open} alerts={open.data} mayOperate={mayOperate} />}
      {(hasRules || silences.data.length > 0) && <Silences of={silences} silences={silences.data} mayOperate={mayOperate} />}
      {channels.data.length > 0 && <Channels of={channels} channels={channels.data} mayOperate={mayOperate} />}
      {hasRules && <Rules of={rules} rules={rules.data} />}
      {hasRules && <History route={route} />}
    </>
  )
}

type OpenProps = { readonly of: Resource<readonly Alert[]>; readonly alerts: readonly Alert[]; readonly mayOperate: boolean }

function OpenAlerts({ of, alerts, mayOperate }: OpenProps) {
  return (
    <section class="panel" data-panel="open-alerts">
      <header>
        <h2>Open</h2>
        <span class="note">{alerts.length >= mostOpen ? `the newest ${mostOpen}` : ''}</span>
      </header>
      <ProblemNotice of={of} />
      {alerts.length === 0 ? (
        <Notice title="No alert is open." />
      ) : (
        <ul class="alert-cards">
          {alerts.map((alert) => (
            <AlertCard key={alert.id} alert={alert} mayOperate={mayOperate} />
          ))}
        </ul>
      )}
    </section>
  )
}
