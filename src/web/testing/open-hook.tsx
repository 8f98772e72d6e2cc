import { render } from 'preact'
import { onTestFinished, vi } from 'vitest'
import { lruCache } from '../../cache/cache.ts'
import { createApi } from '../api/client.ts'
import { type Session, SessionContext } from '../api/use-resource.ts'

/** A part of the page that shows nothing and uses a hook: what the hook gave last, and how to render it again. */
export type OpenHook<Given> = { last(): Given; again(session?: Session): void; close(): void }

/** Uses a hook in the real Preact, without a browser, until the test is finished. */
export function openHook<Given>(useHook: () => Given, session: Session = testSession()): OpenHook<Given> {
  const root = { nodeType: 1, childNodes: [], firstChild: null } as unknown as Element
  let given: { readonly last: Given } | undefined
  let shown = session
  function User() {
    given = { last: useHook() }
    return null
  }
  const again = (next = shown) => {
    shown = next
    render(
      <SessionContext.Provider value={next}>
        <User />
      </SessionContext.Provider>,
      root,
    )
  }
  const close = () => render(null, root)
  onTestFinished(close)
  again()
  return {
    last() {
      if (given === undefined) throw new Error('The hook was not rendered.')
      return given.last
    },
    again,
    close,
  }
}

/** The session of somebody whose requests are answered; what it is told is in `told`. */
export function testSession(more: Partial<Session> = {}): Session & { readonly told: unknown[][] } {
  const told: unknown[][] = []
  const tell =
    (what: string) =>
    (...values: readonly unknown[]) =>
      void told.push([what, ...values])
  const api = createApi(
    { key: 'the-key', account: 'acme' },
    { onAnswer: tell('answer'), onNoAnswer: tell('no answer'), onUnknownZone: tell('unknown zone') },
  )
  return {
    told,
    api,
    cache: lruCache<string, unknown>(100),
    tick: 0,
    slowTick: 0,
    states: undefined,
    changes: 0,
    problem: undefined,
    lostAt: null,
    watch: tell('watch'),
    refresh: tell('refresh'),
    reload: tell('reload'),
    signOut: tell('signOut'),
    ...more,
  }
}

/** Lets time pass only as the test says, until it is finished; the effects of hooks before it have run by then. */
export async function stopTime(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 5))
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
}
