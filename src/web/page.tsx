import { useEffect, useMemo, useRef } from 'preact/hooks'
import { lruCache } from '../cache/cache.ts'
import type { CheckType } from './api/answers.ts'
import type { PageCredentials } from './api/client.ts'
import { useLive } from './api/use-live.ts'
import { refusal, type Session, SessionContext, useDefinitions, useSession } from './api/use-resource.ts'
import { ChecksView } from './checks/checks-view.tsx'
import { failingIn } from './checks/use-checks.ts'
import { useReaderZone } from './state/chosen-zone.ts'
import { type Route, RouteLink, useRoute } from './state/route.tsx'
import { type Authentication, useAuthentication } from './state/use-authentication.ts'
import { ConnectionBar } from './view/connection-bar.tsx'
import { lazyView } from './view/lazy-view.tsx'
import { Notice, Skeleton } from './view/notice.tsx'
import { SignIn } from './view/sign-in.tsx'
import { timeFormats } from './view/time.tsx'
import { TopBar } from './view/top-bar.tsx'
import { useFailingIcon } from './view/use-failing-icon.ts'
import { WindowNotice } from './view/window-notice.tsx'

const cachedAnswers = 200

const AlertView = lazyView(async () => (await import('./alerts/alert-view.tsx')).AlertView)
const AlertsView = lazyView(async () => (await import('./alerts/alerts-view.tsx')).AlertsView)
const AuditView = lazyView(async () => (await import('./audit/audit-view.tsx')).AuditView)
const BadgeView = lazyView(async () => (await import('./badge/badge-view.tsx')).BadgeView)
const CheckView = lazyView(async () => (await import('./check/check-view.tsx')).CheckView)
const DeletedView = lazyView(async () => (await import('./history/deleted-view.tsx')).DeletedView)
const HistoryView = lazyView(async () => (await import('./history/history-view.tsx')).HistoryView)
const EditCheckView = lazyView(async () => (await import('./edit/edit-view.tsx')).EditCheckView)
const LocationsView = lazyView(async () => (await import('./locations/locations-view.tsx')).LocationsView)
const NewCheckView = lazyView(async () => (await import('./edit/new-view.tsx')).NewCheckView)
const OutagesView = lazyView(async () => (await import('./outages/outages-view.tsx')).OutagesView)
const RunView = lazyView(async () => (await import('./run/run-view.tsx')).RunView)
const SloView = lazyView(async () => (await import('./slos/slo-view.tsx')).SloView)
const SlosView = lazyView(async () => (await import('./slos/slos-view.tsx')).SlosView)
const OverviewView = lazyView(async () => (await import('./overview/overview-view.tsx')).OverviewView)
const WallView = lazyView(async () => (await import('./overview/wall-view.tsx')).WallView)

export function PageRoot({ code }: { readonly code: string | null }) {
  const authentication = useAuthentication(code)
  const { credentials, reason, waiting, signIn } = authentication
  if (waiting) return <Skeleton lines={6} height={48} />
  if (credentials === null) return <SignIn reason={reason} onSignIn={signIn} />
  return <SignedIn key={JSON.stringify(credentials)} credentials={credentials} authentication={authentication} />
}

function SignedIn({ credentials, authentication }: { credentials: PageCredentials; authentication: Authentication }) {
  const { signOut, canRemember, answerOffer } = authentication
  const live = useLive(credentials, (problem) => signOut(refusal(problem) ?? ''))
  const cache = useMemo(() => lruCache<string, unknown>(cachedAnswers), [])
  useEffect(() => void timeFormats(), [])
  const route = useRoute()
  const zone = useReaderZone(route)
  const session: Session = { ...live, cache, signOut }
  useFailingIcon(failingIn(live.states), live.lostAt !== null)
  return (
    <SessionContext.Provider value={session}>
      <ConnectionBar lostAt={live.lostAt} onRetry={live.reload} />
      {!isWall(route) && <TopBar account={credentials.account} route={route} onSignOut={() => signOut()} />}
      {canRemember && <RememberMe onAnswer={answerOffer} />}
      <Main key={zone} route={route} />
    </SessionContext.Provider>
  )
}

/** Focuses each new view, so that keyboard and screen reader continue there. */
function Main({ route }: { route: Route }) {
  const main = useRef<HTMLElement>(null)
  const before = useRef(route.path)
  useEffect(() => {
    if (before.current !== route.path) main.current?.focus({ preventScroll: true })
    before.current = route.path
  }, [route.path])
  return (
    <main ref={main} id="main" class={useSession().lostAt === null ? '' : 'of-before'} tabIndex={-1}>
      <WindowNotice route={route} />
      <View route={route} />
    </main>
  )
}

function View({ route }: { route: Route }) {
  const types = useDefinitions('types', async (api, signal) => (await api.request<CheckType[]>({ path: '/v1/check-types' }, signal)).data)
  const [, runOf, resultId] = /^\/checks\/([\w-]+)\/runs\/([\w-]+)\/?$/.exec(route.path) ?? []
  if (runOf !== undefined && resultId !== undefined)
    return <RunView key={`${runOf} ${resultId}`} id={runOf} resultId={resultId} route={route} types={types} />
  const [, historyOf] = /^\/checks\/([\w-]+)\/history\/?$/.exec(route.path) ?? []
  if (historyOf !== undefined) return <HistoryView key={historyOf} id={historyOf} route={route} />
  const [, edited] = /^\/checks\/([\w-]+)\/edit\/?$/.exec(route.path) ?? []
  if (edited !== undefined) return <EditCheckView key={edited} id={edited} types={types} />
  const [, id, badge] = /^\/checks\/([\w-]+)(\/badge)?\/?$/.exec(route.path) ?? []
  if (id !== undefined && badge !== undefined) return <BadgeView key={id} id={id} route={route} types={types} />
  if (id !== undefined) return <CheckView key={id} id={id} route={route} types={types} />
  const [, alert] = /^\/alerts\/([\w-]+)\/?$/.exec(route.path) ?? []
  if (alert !== undefined) return <AlertView key={alert} id={alert} />
  if (/^\/alerts\/?$/.test(route.path)) return <AlertsView route={route} />
  const [, slo] = /^\/slos\/([\w-]+)\/?$/.exec(route.path) ?? []
  if (slo !== undefined) return <SloView key={slo} id={slo} route={route} />
  if (/^\/slos\/?$/.test(route.path)) return <SlosView />
  if (/^\/locations\/?$/.test(route.path)) return <LocationsView />
  if (/^\/outages\/?$/.test(route.path)) return <OutagesView route={route} types={types} />
  if (/^\/new\/?$/.test(route.path)) return <NewCheckView route={route} types={types} />
  if (/^\/audit\/?$/.test(route.path)) return <AuditView route={route} />
  if (/^\/deleted\/?$/.test(route.path)) return <DeletedView />
  if (/^\/overview\/?$/.test(route.path)) return <OverviewView route={route} />
  if (isWall(route)) return <WallView route={route} />
  if (route.path === '/') return <ChecksView route={route} types={types} />
  return (
    <Notice alert whole title="Page not found.">
      <RouteLink href="/">All checks</RouteLink>
    </Notice>
  )
}

/** The wall view has no chrome. */
function isWall({ path }: Route): boolean {
  return /^\/wall\/?$/.test(path)
}

/** Asks after a one-time link whether the session should outlast the open tabs. */
function RememberMe({ onAnswer }: { onAnswer(stay: boolean): void }) {
  return (
    <aside class="remember-me" aria-label="Session">
      <span>You are signed in until you close the last Tidemark tab.</span>
      <button type="button" onClick={() => onAnswer(true)}>
        Stay signed in
      </button>
      <button type="button" class="quiet-button" onClick={() => onAnswer(false)}>
        Not now
      </button>
    </aside>
  )
}
