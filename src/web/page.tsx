import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { lruCache } from '../cache/lru-cache.ts'
import type { CheckType } from './api/answers.ts'
import { type Api, type Credentials, createApi } from './api/client.ts'
import { keepFresh } from './api/keep-fresh.ts'
import { type Session, SessionContext, useResource } from './api/use-resource.ts'
import { ChecksView } from './checks/checks-view.tsx'
import { clearCredentials, loadCredentials, redeem, saveCredentials } from './state/credentials.ts'
import { Link, type Route, useRoute } from './state/route.tsx'
import { lazy } from './view/lazy.tsx'
import { Notice, Skeleton } from './view/notice.tsx'
import { SignIn } from './view/sign-in.tsx'
import { timeFormats } from './view/time.tsx'
import { TopBar } from './view/top-bar.tsx'

const cachedAnswers = 200

const CheckView = lazy(async () => (await import('./check/check-view.tsx')).CheckView)
const BadgeView = lazy(async () => (await import('./badge/badge-view.tsx')).BadgeView)
const OverviewView = lazy(async () => (await import('./overview/overview-view.tsx')).OverviewView)
const WallView = lazy(async () => (await import('./overview/wall-view.tsx')).WallView)
const SlosView = lazy(async () => (await import('./slos/slos-view.tsx')).SlosView)
const SloView = lazy(async () => (await import('./slos/slo-view.tsx')).SloView)

type Authentication = { readonly credentials: Credentials | null; readonly reason: string | null; readonly waiting: boolean }

export function Page({ code }: { readonly code: string | null }) {
  const [authentication, setAuthentication] = useState<Authentication>({
    credentials: loadCredentials(),
    reason: null,
    waiting: code !== null,
  })
  const signIn = (credentials: Credentials, beyondTab = false) => {
    saveCredentials(credentials, beyondTab)
    setAuthentication({ credentials, reason: null, waiting: false })
  }
  const signOut = (reason: string | null = null) => {
    clearCredentials()
    setAuthentication({ credentials: null, reason, waiting: false })
  }
  useEffect(() => {
    if (code !== null)
      redeem(code).then(
        (credentials) => signIn(credentials),
        (problem: Error) => signOut(problem.message),
      )
  }, [])
  if (authentication.waiting) return <Skeleton lines={6} height={48} />
  if (authentication.credentials === null) return <SignIn reason={authentication.reason} onSignIn={signIn} />
  return <SignedIn key={JSON.stringify(authentication.credentials)} credentials={authentication.credentials} signOut={signOut} />
}

function SignedIn({ credentials, signOut }: { credentials: Credentials; signOut(reason?: string): void }) {
  const api = useMemo(() => createApi(credentials), [])
  const [watched, watch] = useState('')
  const tick = useTick(api, watched)
  const cache = useMemo(() => lruCache<string, unknown>(cachedAnswers), [])
  useEffect(() => void timeFormats(), [])
  const route = useRoute()
  const session: Session = { api, tick, watch, cache, signOut }
  return (
    <SessionContext.Provider value={session}>
      {!isWall(route) && <TopBar account={credentials.account} onSignOut={() => signOut()} />}
      <Main route={route} />
    </SessionContext.Provider>
  )
}

/** Moves the focus to each new view, so that keyboard and screen reader continue there. */
function Main({ route }: { route: Route }) {
  const main = useRef<HTMLElement>(null)
  const before = useRef(route.path)
  useEffect(() => {
    if (before.current !== route.path) main.current?.focus({ preventScroll: true })
    before.current = route.path
  }, [route.path])
  return (
    <main ref={main} tabIndex={-1}>
      <View route={route} />
    </main>
  )
}

function View({ route }: { route: Route }) {
  const types = useResource('types', async (api, signal) => (await api.request<CheckType[]>({ path: '/v1/check-types' }, signal)).data)
  const [, id, badge] = /^\/checks\/([\w-]+)(\/badge)?\/?$/.exec(route.path) ?? []
  if (id !== undefined && badge !== undefined) return <BadgeView key={id} id={id} route={route} types={types} />
  if (id !== undefined) return <CheckView key={id} id={id} route={route} types={types} />
  const [, slo] = /^\/slos\/([\w-]+)\/?$/.exec(route.path) ?? []
  if (slo !== undefined) return <SloView key={slo} id={slo} route={route} />
  if (/^\/slos\/?$/.test(route.path)) return <SlosView />
  if (/^\/overview\/?$/.test(route.path)) return <OverviewView route={route} />
  if (isWall(route)) return <WallView />
  if (route.path === '/') return <ChecksView route={route} types={types} />
  return (
    <Notice alert title="There is no such page.">
      <Link href="/">All checks</Link>
    </Notice>
  )
}

/** The wall view has no chrome. */
function isWall({ path }: Route): boolean {
  return /^\/wall\/?$/.test(path)
}

/** Counts up when the checks that are shown have new results, or every minute where there is no stream of them. */
function useTick(api: Api, watched: string): number {
  const [tick, setTick] = useState(0)
  useEffect(() => {
    const open = (signal: AbortSignal) =>
      watched === '' ? Promise.reject(new Error('Nothing is watched.')) : api.stream(`/v1/check-results/stream?checkId=${watched}`, signal)
    return keepFresh({ open, refresh: () => setTick((before) => before + 1) })
  }, [api, watched])
  return tick
}
