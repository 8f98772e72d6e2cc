import { options, render } from 'preact'
import { useEffect } from 'preact/hooks'
import { expect, onTestFinished, vi } from 'vitest'
import { lruCache } from '../../cache/cache.ts'
import { createApi } from '../api/client.ts'
import { type Session, SessionContext } from '../api/use-resource.ts'

// Without a browser there are no animation frames, so effects run after a timer.
options.requestAnimationFrame = (callback) => void setTimeout(callback)

/** A component without output that uses a hook. */
type OpenHook<Value> = {
  /** The last return value of the hook. */
  last(): Value
  /** Renders the component again. */
  again(session?: Session): void
  /** Resolves once the effects of the last render have run. */
  settled(): Promise<void>
  close(): void
}

/** Runs a hook in real Preact without a browser, until the test ends. */
export function openHook<Value>(useHook: () => Value, session: Session = testSession()): OpenHook<Value> {
  const root = { nodeType: 1, childNodes: [], firstChild: null } as unknown as Element
  let given: { readonly last: Value } | undefined
  let shown = session
  let [renderings, settled] = [0, 0]
  function User() {
    const own = ++renderings
    given = { last: useHook() }
    useEffect(() => {
      settled = own
    })
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
  onTestFinished(async () => {
    close()
    await effects()
  })
  again()
  return {
    last() {
      if (given === undefined) throw new Error('The hook was not rendered.')
      return given.last
    },
    again,
    settled: () => expect.poll(() => settled === renderings, { interval: 2 }).toBe(true),
    close,
  }
}

/** Waits for pending effects, including those of closed hooks. */
async function effects(): Promise<void> {
  if (vi.isFakeTimers()) await vi.advanceTimersByTimeAsync(1)
  else await new Promise((resolve) => setTimeout(resolve, 1))
}

/** A session whose requests succeed. Calls of its functions are recorded in `calls`. */
export function testSession(more: Partial<Session> = {}): Session & { readonly calls: unknown[][] } {
  const calls: unknown[][] = []
  const recorded =
    (what: string) =>
    (...values: readonly unknown[]) =>
      void calls.push([what, ...values])
  const api = createApi(
    { key: 'the-key', account: 'acme' },
    { onAnswer: recorded('answer'), onNoAnswer: recorded('no answer'), onUnknownZone: recorded('unknown zone') },
  )
  return {
    calls,
    api,
    cache: lruCache<string, unknown>(100),
    tick: 0,
    slowTick: 0,
    states: undefined,
    changes: 0,
    problem: undefined,
    lostAt: null,
    watch: recorded('watch'),
    refresh: recorded('refresh'),
    reload: recorded('reload'),
    signOut: recorded('signOut'),
    ...more,
  }
}

/** Freezes time until the test ends, so that only the test advances it. */
export function stopTime(): void {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
}
