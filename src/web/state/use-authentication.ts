import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { PageCredentials } from '../api/client.ts'
import { clearCredentials, joinCredentials, loadCredentials, redeem, saveCredentials } from './credentials.ts'
import { connectTabs, type Tabs } from './tabs.ts'

type State = {
  readonly credentials: PageCredentials | null
  /** Why the user has to sign in. */
  readonly reason: string | null
  /** Whether a one-time code is being redeemed or another tab was asked for its session. */
  readonly waiting: boolean
  /** Whether to offer a lasting session: a one-time link has no form that asks for it. */
  readonly canRemember: boolean
}

export type Authentication = State & {
  signIn(credentials: PageCredentials, lasting: boolean): void
  signOut(reason?: string): void
  /** Answers whether to stay signed in beyond the open tabs. */
  answerOffer(stay: boolean): void
}

/** Other tabs usually respond within milliseconds. Later responses count as well; this is just the delay before the form is shown. */
const otherTabsMs = 400

export function useAuthentication(code: string | null): Authentication {
  const [state, setState] = useState<State>(() => {
    const credentials = loadCredentials()
    return { credentials, reason: null, waiting: code !== null || credentials === null, canRemember: false }
  })
  const current = useRef(state.credentials)
  current.current = state.credentials
  const show = (credentials: PageCredentials, canRemember = false) => setState({ credentials, reason: null, waiting: false, canRemember })
  const join = (credentials: PageCredentials) => {
    joinCredentials(credentials)
    show(credentials)
  }
  const leave = (reason: string | null) => {
    clearCredentials()
    setState({ credentials: null, reason, waiting: false, canRemember: false })
  }
  const tabs = useMemo(() => connectTabs({ current: () => current.current, onSession: join, onEnd: leave }), [])
  const enter = (credentials: PageCredentials, { lasting = false, canRemember = false }) => {
    saveCredentials(credentials, lasting)
    show(credentials, canRemember)
    tabs.sendSession(credentials)
  }
  useEffect(() => {
    if (code === null) askOthers(tabs, null)
    else
      redeem(code).then(
        (credentials) => enter(credentials, { canRemember: true }),
        (problem: Error) => askOthers(tabs, problem.message),
      )
    return () => tabs.close()
  }, [])
  const askOthers = (others: Tabs, reason: string | null) => {
    if (current.current !== null) return setState((before) => ({ ...before, waiting: false }))
    others.ask()
    setTimeout(() => setState((before) => (before.credentials === null ? { ...before, reason, waiting: false } : before)), otherTabsMs)
  }
  return {
    ...state,
    signIn: (credentials, lasting) => enter(credentials, { lasting }),
    signOut(reason = '') {
      const ended = current.current
      leave(reason || null)
      if (ended !== null) tabs.sendEnd(ended, reason || null)
    },
    answerOffer(stay) {
      if (stay && current.current !== null) saveCredentials(current.current, true)
      setState((before) => ({ ...before, canRemember: false }))
    },
  }
}
