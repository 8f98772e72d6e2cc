import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { CheckType } from './api/answers.ts'
import { type Credentials, createApi } from './api/client.ts'
import { type Session, SessionContext, useResource } from './api/use-resource.ts'
import { BadgeView } from './badge/badge-view.tsx'
import { CheckView } from './check/check-view.tsx'
import { ChecksView } from './checks/checks-view.tsx'
import { forgetCredentials, keepCredentials, keptCredentials, redeem } from './state/credentials.ts'
import { Link, type Place, usePlace } from './state/place.tsx'
import { Mark } from './view/mark.tsx'
import { Notice, Skeleton } from './view/notice.tsx'
import { SignIn } from './view/sign-in.tsx'
import { timeFormats } from './view/time.tsx'

type Door = { readonly credentials: Credentials | null; readonly reason: string | null; readonly waiting: boolean }

export function Page({ code }: { readonly code: string | null }) {
  const [door, setDoor] = useState<Door>({ credentials: keptCredentials(), reason: null, waiting: code !== null })
  const open = (credentials: Credentials, beyondTab = false) => {
    keepCredentials(credentials, beyondTab)
    setDoor({ credentials, reason: null, waiting: false })
  }
  const shut = (reason: string | null = null) => {
    forgetCredentials()
    setDoor({ credentials: null, reason, waiting: false })
  }
  useEffect(() => {
    if (code !== null)
      redeem(code).then(
        (credentials) => open(credentials),
        (problem: Error) => shut(problem.message),
      )
  }, [])
  if (door.waiting) return <Skeleton lines={6} height={48} />
  if (door.credentials === null) return <SignIn reason={door.reason} onSignIn={open} />
  return <SignedIn key={JSON.stringify(door.credentials)} credentials={door.credentials} signOut={shut} />
}

function SignedIn({ credentials, signOut }: { credentials: Credentials; signOut(reason?: string): void }) {
  const tick = useTick()
  const api = useMemo(() => createApi(credentials), [])
  const known = useMemo(() => new Map<string, unknown>(), [])
  useEffect(() => void timeFormats(), [])
  const session: Session = { api, tick, known, signOut }
  return (
    <SessionContext.Provider value={session}>
      <header class="top">
        <Link href="/" class="brand">
          <Mark /> Tidemark
        </Link>
        <span class="account">
          <span class="wide-only">Account </span>
          <b>{credentials.account}</b>
        </span>
        <a href="/docs">API</a>
        <button type="button" class="quiet-button" onClick={() => signOut()}>
          Sign out
        </button>
      </header>
      <Main />
    </SessionContext.Provider>
  )
}

/** Takes the focus when another view comes, so that keyboard and screen reader go on from there. */
function Main() {
  const place = usePlace()
  const main = useRef<HTMLElement>(null)
  const before = useRef(place.path)
  useEffect(() => {
    if (before.current !== place.path) main.current?.focus({ preventScroll: true })
    before.current = place.path
  }, [place.path])
  return (
    <main ref={main} tabIndex={-1}>
      <View place={place} />
    </main>
  )
}

function View({ place }: { place: Place }) {
  const types = useResource('types', async (api, signal) => (await api.ask<CheckType[]>({ path: '/v1/check-types' }, signal)).data)
  const [, id, badge] = /^\/checks\/([\w-]+)(\/badge)?\/?$/.exec(place.path) ?? []
  if (id !== undefined && badge !== undefined) return <BadgeView key={id} id={id} place={place} types={types} />
  if (id !== undefined) return <CheckView key={id} id={id} place={place} types={types} />
  if (place.path === '/') return <ChecksView place={place} types={types} />
  return (
    <Notice alert title="There is no such page.">
      <Link href="/">All checks</Link>
    </Notice>
  )
}

const tickMs = 60_000

/** Counts minutes, but only those in which somebody looks. */
function useTick(): number {
  const [tick, setTick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && setTick((before) => before + 1), tickMs)
    return () => clearInterval(timer)
  }, [])
  return tick
}
