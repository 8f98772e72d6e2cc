import type { PageCredentials } from '../api/client.ts'
import { sessionName } from './credentials.ts'

type Message =
  | { readonly kind: 'ask' }
  | { readonly kind: 'session'; readonly credentials: PageCredentials }
  | { readonly kind: 'end'; readonly credentials: PageCredentials; readonly reason: string | null }

type Options = {
  current(): PageCredentials | null
  onSession(credentials: PageCredentials): void
  onEnd(reason: string | null): void
}

export type Tabs = {
  /** Asks for a session, which arrives through `onSession`. */
  ask(): void
  sendSession(credentials: PageCredentials): void
  sendEnd(credentials: PageCredentials, reason: string | null): void
  close(): void
}

/** Shares the session between tabs: a tab without a session asks for it, and signing out ends it in all tabs. */
export function connectTabs({ current, onSession, onEnd }: Options): Tabs {
  const channel = new BroadcastChannel(sessionName())
  const send = (message: Message) => channel.postMessage(message)
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    const own = current()
    if (data.kind === 'ask' && own !== null) send({ kind: 'session', credentials: own })
    if (data.kind === 'session' && own === null) onSession(data.credentials)
    if (data.kind === 'end' && own !== null && isSame(own, data.credentials)) onEnd(data.reason)
  }
  return {
    ask: () => send({ kind: 'ask' }),
    sendSession: (credentials) => send({ kind: 'session', credentials }),
    sendEnd: (credentials, reason) => send({ kind: 'end', credentials, reason }),
    close: () => channel.close(),
  }
}

function isSame(one: PageCredentials, other: PageCredentials): boolean {
  return one.key === other.key && one.account === other.account
}
